import Foundation
import TesseraBridge
import TesseraCore
import TesseraCryptography
import TesseraEncryptedStorage
import TesseraLinuxProviders
import TestSupport
import Testing

@Suite("Bridge providers with the encrypted store")
struct ProviderTests {
  let place: StorageFolder
  let storage: EncryptedStorageProvider
  let documents: EncryptedDocumentsProvider
  static let callers = [
    Caller.local, .web(origin: "https://one.example"), .web(origin: "https://two.example"),
  ]

  init() throws {
    place = try StorageFolder()
    let store = place.store()
    storage = EncryptedStorageProvider(store: store)
    documents = EncryptedDocumentsProvider(store: store)
  }

  @Test("returns texts of all kinds unchanged to their owner")
  func texts() async throws {
    let texts = [
      "", "text", "null", "{\"a\":1}", "\u{0}\n\u{FEFF}é e\u{301} 👩‍👩‍👧", String(repeating: "long ", count: 100_000),
    ]
    for (index, text) in texts.enumerated() {
      for (number, caller) in Self.callers.enumerated() {
        try await storage.set("key \(index)", text + "\(number)", for: caller)
      }
    }
    for (index, text) in texts.enumerated() {
      for (number, caller) in Self.callers.enumerated() {
        let read = try #require(try await storage.get("key \(index)", for: caller))
        #expect(read.utf8.elementsEqual((text + "\(number)").utf8))
      }
    }
    // Two normal forms are two different keys.
    try await storage.set("é", "one", for: .local)
    try await storage.set("e\u{301}", "two", for: .local)
    #expect(try await storage.get("é", for: .local) == "one")
    try await storage.remove("é", for: .local)
    try await storage.remove("never there", for: .local)
    #expect(try await storage.get("é", for: .local) == nil)
    #expect(try await storage.get("e\u{301}", for: .local) == "two")
    try await storage.clear(for: Self.callers[1])
    #expect(try await storage.get("key 1", for: Self.callers[1]) == nil)
    #expect(try await storage.get("key 1", for: Self.callers[2]) == "text2")
    #expect(try await storage.get("key 1", for: .local) == "text0")
  }

  @Test("returns a document in the form in which it was stored, also through a new instance")
  func forms() async throws {
    let forms: [(String, JSONValue)] = [
      ("__catalog__", ["documents": ["a", "b"], "count": 9_007_199_254_740_993]),
      ("doc_text", .string("{\"documents\": []}")), ("doc_empty", ""), ("doc_null", .null), ("doc_true", true),
      ("doc_integer", .integer(.min)), ("doc_number", .number(try #require(JSONNumber(0.1)))),
      ("doc_../..", [["nested": [nil, false, "é"]]]),
    ]
    for (key, value) in forms { try await documents.set(key, value, for: Self.callers[1]) }
    let later = EncryptedDocumentsProvider(store: place.store())
    for (key, value) in forms { #expect(try await later.get(key, for: Self.callers[1]) == value) }
    #expect(try await later.list(for: Self.callers[1]).sorted() == forms.map(\.0).sorted())
    #expect(try await later.list(for: Self.callers[2]) == [])
    #expect(try await later.get("doc_text", for: Self.callers[2]) == nil)
    try await documents.remove("doc_text", for: Self.callers[1])
    #expect(try await later.get("doc_text", for: Self.callers[1]) == nil)
    // Secure storage and documents have separate names.
    #expect(try await storage.get("__catalog__", for: Self.callers[1]) == nil)
    try await storage.clear(for: Self.callers[1])
    #expect(try await later.list(for: Self.callers[1]).count == forms.count - 1)
  }

  @Test("reports a document that is not JSON, instead of a missing one")
  func noJSON() async throws {
    try await place.store().set("no JSON", for: EntryName("k", in: .documents, of: .local))
    let error = await #expect(throws: Failure.self) { try await documents.get("k", for: .local) }
    #expect(error?.kind == .storageFailed)
  }
}
