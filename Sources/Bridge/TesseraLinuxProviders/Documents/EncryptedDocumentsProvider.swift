public import TesseraBridge
import TesseraCore
import TesseraCryptography
public import TesseraEncryptedStorage

/// The documents provider that uses the encrypted store. Documents are stored as JSON.
public struct EncryptedDocumentsProvider: DocumentsProvider {
  private let store: EncryptedStore

  public init(store: EncryptedStore) { self.store = store }

  public func get(_ key: String, for caller: Caller) async throws -> JSONValue? {
    guard let value = try await store.value(of: try name(key, caller)) else { return nil }
    do {
      return try value.withUnsafeBytes { try JSONValue(text: String(decoding: $0, as: UTF8.self)) }
    } catch {
      // The entry is authentic, so another version wrote it. The error of the parser is not passed on: it could quote
      // it.
      throw Failure(.storageFailed, "The stored document is not JSON.", remedy: "Store the document again.")
    }
  }

  public func set(_ key: String, _ value: JSONValue, for caller: Caller) async throws {
    try await store.set(SecretBytes(value.text.utf8), for: try name(key, caller))
  }

  public func remove(_ key: String, for caller: Caller) async throws {
    try await store.remove(try name(key, caller))
  }

  /// Unreadable documents are omitted, since their names are unreadable, too.
  public func list(for caller: Caller) async throws -> [String] {
    try await store.entries(in: .documents, of: caller).names.compactMap(\.text)
  }

  private func name(_ key: String, _ caller: Caller) throws -> EntryName {
    try EntryName(key, in: .documents, of: caller)
  }
}
