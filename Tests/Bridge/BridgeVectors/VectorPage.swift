import Foundation
public import TesseraBridge
import TesseraCryptography
import TesseraThreads
public import TestSupport

/// The vectors in a page that uses the client for web pages, `tessera.js`. The page (`Page/vectors.js`) asks for one case
/// after another over the bridge itself, and says what came of each: the client's data, or its `BridgeError`.
///
/// Each case is sent with the client's `request`, and again with the client's function for the method if that can have the
/// parameters of the case.
public actor VectorPage {
  /// How the page sends a request.
  public enum Way: String, Sendable, CaseIterable {
    case request, function
  }

  private struct Run {
    let vector: Vector
    let way: Way
    let environment: VectorEnvironment
    var keys: [P256PublicKey] = []
  }

  /// The results by method and way.
  public private(set) var matrix = ParityMatrix(transports: Way.allCases.map(\.rawValue))
  /// What ended the page before its last case.
  public private(set) var failure: String?
  /// Opens when the page has sent everything, or failed.
  public let isDone = Gate()
  /// The same, for those who look again and again.
  public private(set) var hasEnded = false
  private var left: [Vector]
  private var run: Run?

  public init(_ cases: [Vector] = BridgeVectors.cases.filter(VectorPage.canSend)) { left = cases.reversed() }

  /// The router of the page: its requests go to the providers that the present case describes.
  public nonisolated var router: MessageRouter {
    MessageRouter(
      handlers: BridgeDomain.published.filter { $0 != .custody }.map { PresentCaseHandler(domain: $0, page: self) }
        + [VectorsHandler(page: self)])
  }

  /// The page and its script, by their names.
  ///
  /// - Parameter client: the address of `tessera.js`.
  public static func files(client: String) throws -> [String: [UInt8]] {
    let page = """
      <!doctype html><meta charset="utf-8"><title>vectors</title>
      <script type="module">
      import * as client from "\(client)";
      import {sendVectors} from "./vectors.js";
      sendVectors(client);
      </script>
      """
    let script = Fixtures.tests.appendingPathComponent("Bridge/BridgeVectors/Page/vectors.js")
    return ["index.html": Array(page.utf8), "vectors.js": Array(try Data(contentsOf: script))]
  }

  /// Whether the client's `request` can write the message of the case, apart from its identifier and time: whatever
  /// domain, method and parameters it has, but no other envelope.
  public static func canSend(_ vector: Vector) -> Bool {
    let isTrusted = !vector["given"]["trustedSource"].isPresent || vector["given"]["trustedSource"].flag
    guard isTrusted, case .object(let message)? = try? vector["send"].json else { return false }
    let names = Set(message.members.map(\.name))
    guard names == ["type", "version", "id", "domain", "method", "params", "timestamp"],
      message["id"]?.stringValue != nil, case .integer? = message["timestamp"]
    else { return false }
    return message["type"] == "request" && message["version"] == .integer(BridgeRequest.protocolVersion)
  }

  /// How many cases each function of the client can send. `nfc.cancelScan` ends the scan of another case.
  public static let countsOfFunctions = [
    "nfc.isSupported": 3, "nfc.scan": 27, "camera.isAvailable": 2, "camera.scanMRZ": 10, "camera.stopCamera": 2,
    "biometrics.isAvailable": 2, "biometrics.getBiometryType": 3, "biometrics.authenticate": 3,
    "crypto.generateKey": 3, "crypto.getPublicKey": 2, "crypto.sign": 3, "crypto.deleteKey": 2,
    "secureStorage.get": 5, "secureStorage.set": 2, "secureStorage.remove": 2, "secureStorage.clear": 1,
    "documents.list": 1, "documents.get": 2, "documents.set": 1, "documents.remove": 1,
    "haptic.isAvailable": 2, "haptic.trigger": 18,
  ]

  /// The providers of the present case.
  fileprivate func environment() throws -> VectorEnvironment {
    guard let run else { throw BridgeError("NO_CASE", "The page sends a request between two cases.") }
    return run.environment
  }

  fileprivate func next(_ said: JSONObject) async throws -> JSONValue {
    var again: Vector?
    if let run {
      matrix.add(run.vector, run.way.rawValue, try await mismatches(run, said))
      if run.way == .request, said["hasFunction"] == true { again = run.vector }
    }
    run = nil
    guard let vector = again ?? left.popLast() else {
      await end()
      return .null
    }
    let environment = try VectorEnvironment(given: vector["given"])
    let way: Way = again == nil ? .request : .function
    run = Run(vector: vector, way: way, environment: environment)
    let request = vector["send"]
    let initial = try environment.initialRequests.map { target, parameters -> JSONValue in
      let parts = target.split(separator: ".").map { JSONValue.string(String($0)) }
      return ["domain": parts[0], "method": parts[1], "params": .object(parameters)]
    }
    return [
      "domain": try request["domain"].json, "method": try request["method"].json, "params": try request["params"].json,
      "way": .string(way.rawValue), "initial": .array(initial),
      "meanwhile": Self.meanwhile(vector["given"]).map(JSONValue.string) ?? .null,
    ]
  }

  /// What else the page does while the request of the case waits.
  private static func meanwhile(_ given: Vector) -> String? {
    if given["nfc"]["scanInProgress"].flag { return "scan" }
    if given["nfc"]["cancelAfterMs"].isPresent { return "cancelScan" }
    return given["camera"]["cancelledByStopCamera"].flag ? "stopCamera" : nil
  }

  fileprivate func filled() async throws {
    // The optional of the assignment would be held while this asks for it.
    let keys = try await environment().publicKeys()
    run?.keys = keys
  }

  /// Returns when the scan of the present case waits.
  fileprivate func waiting() async throws {
    let environment = try environment()
    if environment.given["camera"].isPresent {
      await environment.camera.isWaiting.wait()
    } else {
      await environment.waitForScan()
    }
  }

  fileprivate func failed(_ text: String) async {
    failure = "\(run?.vector.id ?? "no case"): \(text)"
    await end()
  }

  private func end() async {
    hasEnded = true
    await isDone.open()
  }

  private func mismatches(_ run: Run, _ said: JSONObject) async throws -> [String] {
    let expected = run.vector["expect"]
    let part = expected["response"]["success"].flag ? "data" : "error"
    guard let found = said[part] else { return ["no \(part): \(JSONValue.object(said).text.prefix(300))"] }
    var mismatches: [String] = []
    let pattern = Pattern(expected["response"][part], signer: run.keys.first)
    if let mismatch = pattern.mismatch(found, at: "$.\(part)") { mismatches.append(mismatch) }
    if expected["events"].isPresent {
      guard case .array(let events)? = said["events"] else { return ["no events"] }
      mismatches += VectorCase.compare("events", expected["events"].list.map { $0["data"] }, events)
    }
    return mismatches
      + (try await VectorCase(run.vector).mismatchedEffects(run.environment, keysBefore: run.keys))
  }
}

/// Passes the requests of a domain on to the router of the present case.
private struct PresentCaseHandler: BridgeHandler {
  let domain: BridgeDomain
  let page: VectorPage

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    let answer = Locked<Result<JSONValue, BridgeError>?>(nil)
    try await page.environment().router.route(request) { message in
      switch message {
      case .event(_, let name, let data): emit(name, data)
      case .response(_, _, let result): answer.withLock { $0 = result }
      case .refusal(_, _, let error): answer.withLock { $0 = .failure(error) }
      }
    }
    return try answer.withLock { $0 }?.get() ?? .null
  }
}

/// The test's own domain, over which the page asks for the cases.
private struct VectorsHandler: BridgeHandler {
  let domain = BridgeDomain.vectors
  let page: VectorPage

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    switch request.method {
    case "next": return try await page.next(request.parameters.values)
    case "filled": try await page.filled()
    case "waiting": try await page.waiting()
    case "failed": await page.failed(request.parameters["error"]?.stringValue ?? "")
    default: throw BridgeError("METHOD_NOT_FOUND", "The test has no such method.")
    }
    return .null
  }
}

extension BridgeDomain {
  /// The test's own domain.
  public static let vectors = BridgeDomain("vectors", methods: ["next", "filled", "waiting", "failed"], wish: nil)
}
