import BridgeVectors
import Failures
import TestSupport
import Testing
import Threads

@testable import Bridge

@Suite("The secureStorage and documents domains")
struct StorageHandlerTests {
  private static func world(
    _ biometric: (any BiometricProvider)? = nil
  ) throws -> (VectorWorld, (BridgeCaller) async throws -> VectorClient) {
    let world = try VectorWorld()
    world.registry.register { $0.biometric = biometric }
    return (
      world,
      { caller in
        VectorClient(try #require(try await InProcessDoor(caller: caller).open(world.router, isTrusted: true)))
      }
    )
  }

  @Test("nobody sees, changes or clears what another caller has stored")
  func callers() async throws {
    let (world, open) = try Self.world()
    let callers: [BridgeCaller] = [.local, .web(origin: "https://a.example"), .web(origin: "https://b.example")]
    var clients: [VectorClient] = []
    for caller in callers { clients.append(try await open(caller)) }
    for (index, client) in clients.enumerated() {
      try await client.ask("secureStorage.set", ["key": "k", "value": .integer(Int64(index))])
      try await client.ask("documents.save", ["id": "d", "data": ["n": .integer(Int64(index))]])
    }
    try await clients[1].ask("secureStorage.clear")
    try await clients[1].ask("documents.delete", ["id": "d"])
    var (texts, documents, lists) = ([JSONValue?](), [JSONValue?](), [JSONValue?]())
    for client in clients {
      texts.append(try await client.ask("secureStorage.get", ["key": "k"])["data"]?["value"])
      documents.append(try await client.ask("documents.loadById", ["id": "d"])["data"])
      lists.append(try await client.ask("documents.list")["data"])
      await client.close()
    }
    #expect(texts == ["0", nil, "2"].map { $0.map(JSONValue.string) ?? .null })
    #expect(documents == [["n": 0], .null, ["n": 2]])
    #expect(lists == [["d"], [], ["d"]])
    withExtendedLifetime(world) {}
  }

  @Test("the method is looked at first, then the provider, then the parameters in their order")
  func order() async throws {
    let (world, open) = try Self.world()
    let client = try await open(.local)
    func code(_ target: String, _ parameters: JSONObject = [:]) async throws -> JSONValue? {
      try await client.ask(target, parameters)["error"]?["code"]
    }
    #expect(try await code("secureStorage.set") == "MISSING_KEY")
    #expect(try await code("secureStorage.set", ["key": "k", "value": nil]) == "MISSING_VALUE")
    #expect(try await code("secureStorage.set", ["key": ["k"], "value": "v"]) == "INTERNAL_ERROR")
    #expect(try await code("documents.save") == "MISSING_ID")
    #expect(try await code("documents.save", ["id": "d", "data": nil]) == "MISSING_DOCUMENT")
    #expect(try await code("documents.set") == "MISSING_KEY")
    #expect(try await code("documents.set", ["key": "k"]) == "MISSING_VALUE")
    #expect(try await code("documents.get") == "MISSING_KEY")
    #expect(try await code("documents.remove") == "MISSING_KEY")
    world.registry.reset()
    for domain in ["secureStorage", "documents", "biometrics", "camera", "crypto", "nfc"] {
      #expect(try await code("\(domain).noSuchMethod") == "METHOD_NOT_FOUND", "\(domain)")
    }
    #expect(try await code("secureStorage.set") == "NOT_CONFIGURED")
    #expect(try await code("documents.save") == "NOT_CONFIGURED")
    await client.close()
  }

  @Test("any text is a key; documents cannot reach the catalog, and numbers are their text")
  func keys() async throws {
    let (world, open) = try Self.world()
    let client = try await open(.local)
    try await client.ask("documents.saveCatalog", ["catalog": ["documents": []]])
    for id in ["", "__catalog__", "doc_", "../x", "a\u{0}b", "doc___catalog__", "é", "5"] {
      try await client.ask("documents.save", ["id": .string(id), "document": .string("of \(id)")])
      try await client.ask("secureStorage.set", ["key": .string(id), "value": .string("at \(id)")])
    }
    #expect(try await client.ask("documents.loadCatalog")["data"] == ["documents": []])
    #expect(try await client.ask("documents.get", ["key": "__catalog__"])["data"] == "of __catalog__")
    #expect(try await client.ask("documents.loadById", ["id": 5])["data"] == "of 5")
    #expect(try await client.ask("secureStorage.get", ["key": ""])["data"] == ["value": "at "])
    let listed = try await client.ask("documents.list")["data"]
    #expect(listed == ["", "../x", "5", "__catalog__", "a\u{0}b", "doc_", "doc___catalog__", "é"])
    try await client.ask("documents.save", ["id": "n", "data": 7])
    #expect(try await client.ask("documents.loadById", ["id": "n"])["data"] == "7")
    try await client.ask("documents.save", ["id": "l", "data": [1, nil]])
    #expect(try await client.ask("documents.loadById", ["id": "l"])["data"] == [1, nil])
    await client.close()
    withExtendedLifetime(world) {}
  }

  /// Writes down whom it was asked for, and in which words.
  private final class Finger: BiometricProvider {
    let asked = Locked<[String]>([])
    let recognises: Bool
    init(recognises: Bool) { self.recognises = recognises }
    func isAvailable() async -> Bool { true }
    func getBiometryType() async -> String { "touchId" }
    func authenticate(reason: String, for caller: BridgeCaller) async throws {
      asked.withLock { $0.append("\(caller): \(reason)") }
      if !recognises { throw Failure(.confirmationRefused, "The device at /secret/path said no.") }
    }
  }

  @Test(
    "a read that wants a person to be recognised asks first, and gives nothing where nobody is; where nothing can recognise anybody, as without the wish"
  )
  func biometrics() async throws {
    for recognises in [true, false] {
      let finger = Finger(recognises: recognises)
      let (world, open) = try Self.world(finger)
      let client = try await open(.web(origin: "https://a.example"))
      try await client.ask("secureStorage.set", ["key": "self_private_key", "value": "s3cret"])
      for key in ["self_private_key", "absent"] {
        let answer = try await client.ask("secureStorage.get", ["key": .string(key), "requireBiometric": "True"])
        #expect(answer["error"]?["code"] == (recognises ? nil : "BIOMETRIC_FAILED"))
        #expect(answer.text.contains("s3cret") == (recognises && key != "absent"))
        #expect(!answer.text.contains("/secret/path"))
      }
      #expect(finger.asked.withLock { $0.count } == 2)
      #expect(finger.asked.withLock { $0.allSatisfy { $0.contains("https://a.example") } })
      _ = try await client.ask("secureStorage.get", ["key": "k"])
      #expect(finger.asked.withLock { $0.count } == 2)
      await client.close()
      withExtendedLifetime(world) {}
    }
    let (world, open) = try Self.world(nil)
    let client = try await open(.local)
    // The client would take a refusal for "there is no key", and make another in its place.
    try await client.ask("secureStorage.set", ["key": "self_private_key", "value": "s3cret"])
    let answer = try await client.ask("secureStorage.get", ["key": "self_private_key", "requireBiometric": true])
    #expect(answer["data"]?["privateKey"] == "s3cret")
    await client.close()
    withExtendedLifetime(world) {}
  }

  @Test("a page's words are shown as far as they are words")
  func reasons() async throws {
    let finger = Finger(recognises: false)
    let (world, open) = try Self.world(finger)
    let client = try await open(.web(origin: "https://a.example"))
    for reason: JSONValue in [
      "Send\u{202E}\n\u{1B}[2J money", " \n", nil, .string(String(repeating: "x", count: 9_000)),
    ] {
      let answer = try await client.ask("biometrics.authenticate", ["reason": reason])
      #expect(answer["error"]?["code"] == "BIOMETRIC_ERROR")
      #expect(!answer.text.contains("/secret/path"))
    }
    let asked = finger.asked.withLock { $0.map { String($0.drop { $0 != " " }.dropFirst()) } }
    let shown = asked.map { $0.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? "" }
    #expect(shown[0] == "Send   [2J money" && shown[1] == "Confirm that it is you" && shown[2] == shown[1])
    #expect(shown[3].utf8.count == 400)
    await client.close()
    withExtendedLifetime(world) {}
  }
}
