import Foundation
import TesseraBridge
import TesseraCryptography
public import TestSupport

/// The sequences of the vectors, which the vectors describe in words.
public enum VectorSequences {
  public static let all = BridgeVectors.fixture["sequences"].list

  /// Runs a sequence.
  ///
  /// - Returns: the step that failed; nil if the sequence passed.
  public static func mismatch(_ vector: Vector, through transport: any BridgeTransport) async throws -> String? {
    guard let (given, steps) = sequences[vector.id] else { return "no such sequence" }
    let environment = try VectorEnvironment(given: given)
    guard let connection = try await transport.open(environment.router, isTrusted: true) else {
      return "the transport did not open"
    }
    let client = VectorClient(connection)
    defer { Task { await client.close() } }
    return try await steps(environment, client)
  }

  private typealias Steps = @Sendable (VectorEnvironment, VectorClient) async throws -> String?

  private static let sequences: [String: (given: Vector, Steps)] = [
    "seq.secureStorage.roundtrip": (.missing, { try await secrets($1) }),
    "seq.secureStorage.persistence": (.missing, secretsPersist),
    "seq.crypto.roundtrip": (.missing, { try await keys($1) }),
    "seq.crypto.persistence": (.missing, keysPersist),
    "seq.documents.roundtrip": (.missing, { try await documents($1) }),
    "seq.documents.seedRoundtrip": (.missing, { try await documentsByKey($1) }),
    "seq.lifecycle.resultThenDismiss": (.missing, { try await endings($0, $1, "setResult", ["success": true]) }),
    "seq.lifecycle.dismissTwice": (.missing, { try await endings($0, $1, "dismiss", [:]) }),
    "seq.nfc.cancelDuringScan": (Vector(["nfc": ["chip": "never"]]), cancelledScan),
    "seq.nfc.progressOrder": (Vector(["nfc": ["chip": "synthetic", "pace": "fail"]]), { try await progress($1) }),
  ]

  private static func secrets(_ client: VectorClient) async throws -> String? {
    for value in ["a", "b"] {
      try await client.ask("secureStorage.set", ["key": "k", "value": .string(value)])
      let found = try await client.ask("secureStorage.get", ["key": "k"])["data"]
      guard found == ["value": .string(value)] else { return "get after set" }
    }
    try await client.ask("secureStorage.remove", ["key": "k"])
    let found = try await client.ask("secureStorage.get", ["key": "k"])["data"]
    return found == ["value": nil] ? nil : "get after remove"
  }

  private static func secretsPersist(_ environment: VectorEnvironment, _ client: VectorClient) async throws -> String? {
    try await client.ask("secureStorage.set", ["key": "k", "value": "a"])
    environment.register()
    let found = try await client.ask("secureStorage.get", ["key": "k"])["data"]
    return found == ["value": "a"] ? nil : "the value changed after the restart"
  }

  private static func keys(_ client: VectorClient) async throws -> String? {
    let reference: JSONObject = ["keyRef": "r"]
    try await client.ask("crypto.generateKey", reference)
    let point = try await client.ask("crypto.getPublicKey", reference)["data"]?["publicKey"]?.bytes ?? []
    let message = Array("a message".utf8)
    let data = JSONValue.string(Data(message).base64EncodedString())
    let answer = try await client.ask("crypto.sign", ["keyRef": "r", "data": data])
    let signature = try P256Signature(der: answer["data"]?["signature"]?.bytes ?? [])
    let isValid = try P256PublicKey(point: point).verify(signature, digest: HashAlgorithm.sha256.digest(of: message))
    guard isValid else { return "the signature is invalid" }
    try await client.ask("crypto.deleteKey", reference)
    let after = try await client.ask("crypto.getPublicKey", reference)
    return after["error"]?["code"] == "KEY_NOT_FOUND" ? nil : "getPublicKey after deleteKey"
  }

  private static func keysPersist(_ environment: VectorEnvironment, _ client: VectorClient) async throws -> String? {
    try await client.ask("crypto.generateKey", ["keyRef": "r"])
    let before = try await client.ask("crypto.getPublicKey", ["keyRef": "r"])["data"]
    environment.register()
    let after = try await client.ask("crypto.getPublicKey", ["keyRef": "r"])["data"]
    return before != nil && before == after ? nil : "the key changed after the restart"
  }

  private static func documents(_ client: VectorClient) async throws -> String? {
    let document: JSONValue = ["mrz": "P<UTO", "count": 9_007_199_254_740_993]
    try await client.ask("documents.save", ["id": "d1", "data": document])
    guard try await client.ask("documents.loadById", ["id": "d1"])["data"] == document else { return "loadById" }
    try await client.ask("documents.delete", ["id": "d1"])
    return try await client.ask("documents.loadById", ["id": "d1"])["data"] == .null ? nil : "loadById after delete"
  }

  private static func documentsByKey(_ client: VectorClient) async throws -> String? {
    try await client.ask("documents.set", ["key": "a", "value": "1"])
    try await client.ask("documents.set", ["key": "b", "value": "2"])
    guard try await client.ask("documents.list")["data"] == ["a", "b"] else { return "list" }
    guard try await client.ask("documents.get", ["key": "a"])["data"] == "1" else { return "get" }
    try await client.ask("documents.remove", ["key": "a"])
    guard try await client.ask("documents.get", ["key": "a"])["data"] == .null else { return "get after remove" }
    return try await client.ask("documents.list")["data"] == ["b"] ? nil : "list after remove"
  }

  private static func endings(
    _ environment: VectorEnvironment, _ client: VectorClient, _ first: String, _ parameters: JSONObject
  ) async throws -> String? {
    for method in [(first, parameters), ("dismiss", [:])] {
      let answer = try await client.ask("lifecycle.\(method.0)", method.1)
      guard answer["success"] == true else { return "\(method.0) has no response" }
    }
    await environment.host.wait(for: 2)
    try await client.ask("lifecycle.ready")
    let callback: JSONValue =
      first == "dismiss"
      ? ["callback": "onCancelled"]
      : [
        "callback": "onSuccess", "result": ["success": true],
      ]
    let calls = await environment.host.calls
    return calls == [callback, ["action": "dismiss"]] ? nil : "the host received \(calls.map(\.text))"
  }

  private static let document: JSONObject = [
    "passportNumber": "L898902C3", "dateOfBirth": "690806", "dateOfExpiry": "060815",
  ]

  private static func cancelledScan(_ environment: VectorEnvironment, _ client: VectorClient) async throws -> String? {
    try await client.send(VectorClient.request("nfc.scan", document, id: "scan"))
    await environment.nfc.isWaiting.wait()
    guard try await client.ask("nfc.cancelScan")["success"] == true else { return "cancelScan" }
    guard try await client.answer(to: "scan")["error"]?["code"] == "SCAN_ABORTED" else { return "the first scan" }
    environment.registry.register { $0.nfc = ScriptedNfcProvider(given: Vector(["chip": "synthetic", "pace": "ok"])) }
    return try await client.ask("nfc.scan", document)["success"] == true ? nil : "the second scan"
  }

  private static func progress(_ client: VectorClient) async throws -> String? {
    guard try await client.ask("nfc.scan", document)["success"] == true else { return "scan" }
    let events = client.messages.dropLast().compactMap { $0["data"] }
    let percents = events.compactMap { event -> Int64? in
      if case .integer(let percent)? = event["percent"] { percent } else { nil }
    }
    guard percents.count == events.count, percents == percents.sorted() else { return "percent decreases" }
    return events.first?["step"] == "waiting_for_tag" && events.last?["step"] == "complete"
      ? nil : "first and last step"
  }
}

extension JSONValue {
  fileprivate var bytes: [UInt8]? { stringValue.flatMap { Data(base64Encoded: $0) }.map(Array.init) }
}
