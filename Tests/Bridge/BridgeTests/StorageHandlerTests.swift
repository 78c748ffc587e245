import BridgeVectors
import TesseraCore
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge

@Suite("Secure storage and documents")
struct StorageHandlerTests {
  private static func environment(
    _ biometric: (any BiometricProvider)? = nil
  ) throws -> (VectorEnvironment, (Caller) async throws -> VectorClient) {
    let environment = try VectorEnvironment()
    environment.registry.register { $0.biometric = biometric }
    return (
      environment,
      { caller in
        VectorClient(
          try #require(try await InProcessTransport(caller: caller).open(environment.router, isTrusted: true)))
      }
    )
  }

  @Test("callers cannot read, change or clear the entries of each other")
  func callers() async throws {
    let (environment, open) = try Self.environment()
    let callers: [Caller] = [.local, .web(origin: "https://a.example"), .web(origin: "https://b.example")]
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
    withExtendedLifetime(environment) {}
  }

  @Test("checks the method, then the provider, then the parameters in order")
  func order() async throws {
    let (environment, open) = try Self.environment()
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
    environment.registry.reset()
    for domain in ["secureStorage", "documents", "biometrics", "camera", "crypto", "nfc"] {
      #expect(try await code("\(domain).noSuchMethod") == "METHOD_NOT_FOUND", "\(domain)")
    }
    #expect(try await code("secureStorage.set") == "NOT_CONFIGURED")
    #expect(try await code("documents.save") == "NOT_CONFIGURED")
    await client.close()
  }

  @Test("accepts any text as key, separates documents from the catalog, and stores numbers as text")
  func keys() async throws {
    let (environment, open) = try Self.environment()
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
    withExtendedLifetime(environment) {}
  }

  /// A biometric provider that records its prompts.
  private final class FingerprintReader: BiometricProvider {
    let prompts = Locked<[String]>([])
    let accepts: Bool
    init(accepts: Bool) { self.accepts = accepts }
    func isAvailable() async -> Bool { true }
    func getBiometryType() async -> String { "touchId" }
    func authenticate(reason: String, for caller: Caller) async throws {
      prompts.withLock { $0.append("\(caller): \(reason)") }
      if !accepts { throw Failure(.confirmationRefused, "The device at /secret/path refused.") }
    }
  }

  @Test(
    "requireBiometric reads only after authentication, and has no effect without a biometric provider"
  )
  func biometrics() async throws {
    for accepts in [true, false] {
      let reader = FingerprintReader(accepts: accepts)
      let (environment, open) = try Self.environment(reader)
      let client = try await open(.web(origin: "https://a.example"))
      try await client.ask("secureStorage.set", ["key": "self_private_key", "value": "s3cret"])
      for key in ["self_private_key", "absent"] {
        let answer = try await client.ask("secureStorage.get", ["key": .string(key), "requireBiometric": "True"])
        #expect(answer["error"]?["code"] == (accepts ? nil : "BIOMETRIC_FAILED"))
        #expect(answer.text.contains("s3cret") == (accepts && key != "absent"))
        #expect(!answer.text.contains("/secret/path"))
      }
      #expect(reader.prompts.withLock { $0.count } == 2)
      #expect(reader.prompts.withLock { $0.allSatisfy { $0.contains("https://a.example") } })
      _ = try await client.ask("secureStorage.get", ["key": "k"])
      #expect(reader.prompts.withLock { $0.count } == 2)
      await client.close()
      withExtendedLifetime(environment) {}
    }
    let (environment, open) = try Self.environment(nil)
    let client = try await open(.local)
    // The client treats an error as "no key" and would replace the key.
    try await client.ask("secureStorage.set", ["key": "self_private_key", "value": "s3cret"])
    let answer = try await client.ask("secureStorage.get", ["key": "self_private_key", "requireBiometric": true])
    #expect(answer["data"]?["privateKey"] == "s3cret")
    await client.close()
    withExtendedLifetime(environment) {}
  }

  @Test("shows the reason of a page without control characters")
  func reasons() async throws {
    let reader = FingerprintReader(accepts: false)
    let (environment, open) = try Self.environment(reader)
    let client = try await open(.web(origin: "https://a.example"))
    for reason: JSONValue in [
      "Send\u{202E}\n\u{1B}[2J money", " \n", nil, .string(String(repeating: "x", count: 9_000)),
    ] {
      let answer = try await client.ask("biometrics.authenticate", ["reason": reason])
      #expect(answer["error"]?["code"] == "BIOMETRIC_ERROR")
      #expect(!answer.text.contains("/secret/path"))
    }
    let asked = reader.prompts.withLock { $0.map { String($0.drop { $0 != " " }.dropFirst()) } }
    let shown = asked.map { $0.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? "" }
    #expect(shown[0] == "Send   [2J money" && shown[1] == "Confirm that it is you" && shown[2] == shown[1])
    #expect(shown[3].utf8.count == 400)
    await client.close()
    withExtendedLifetime(environment) {}
  }
}
