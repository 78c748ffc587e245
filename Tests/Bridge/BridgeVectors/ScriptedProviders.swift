public import TesseraBridge
import TesseraCore
import TesseraThreads
public import TestSupport

/// A biometric provider that follows the `given` of a vector.
public struct ScriptedBiometricProvider: BiometricProvider {
  let given: Vector
  private let isCapable: Bool

  /// - Parameter isCapable: whether `getConfig` of the vector says so.
  public init(given: Vector, isCapable: Bool = false) {
    self.given = given
    self.isCapable = isCapable
  }

  public func isAvailable() async -> Bool {
    given["available"].isPresent ? given["available"].flag : isCapable || given["authenticate"].isPresent
  }
  public func getBiometryType() async -> String { given["type"].text }
  public func authenticate(reason: String, for caller: Caller) async throws {
    guard given["authenticate"].text == "succeed" else {
      throw Failure(.confirmationRefused, "The user was not authenticated.")
    }
  }
}

/// A camera that follows the `given` of a vector. Its pictures are recognised texts.
public struct ScriptedCameraProvider: CameraMrzProvider {
  let given: Vector
  /// Opens when a scan has processed all pictures.
  public let isWaiting = Gate()
  private let isCapable: Bool

  /// - Parameter isCapable: the answer of `isAvailable` without a `given`.
  public init(given: Vector, isCapable: Bool = false) {
    self.given = given
    self.isCapable = isCapable
  }

  public func isAvailable() async -> Bool { given["available"].isPresent ? given["available"].flag : isCapable }
  public func stopCamera() async {}

  public func scanMrz(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (MrzDetectionState) -> Void
  ) async throws -> JSONObject {
    if given["initError"].flag { throw CameraMrzError.cannotStart() }
    if given["permission"].text == "denied" { throw CameraMrzError.permissionDenied() }
    if given["error"].isPresent { throw Failure(.internalError, given["error"].text) }
    if given["rawResult"].isPresent {
      guard case .object(let fields)? = try? JSONValue(text: given["rawResult"].text) else {
        throw BridgeError("PARSE_ERROR", "The result of the camera is unreadable.")
      }
      return fields
    }
    for frame in given["frames"].list.map(\.text) {
      // A camera reports each picture several times.
      for _ in 0..<3 { onProgress(MrzLines.state(of: frame)) }
      if let lines = MrzLines.find(in: frame) { return MrzFields.json(lines) }
    }
    await isWaiting.open()
    try await untilCancelled()
    return [:]
  }
}

/// A camera whose pictures show these things to a scan for a seal, one after the other.
public final class ScriptedCameraSealProvider: CameraSealProvider {
  /// How a scan ends after its pictures.
  public enum End: Sendable {
    case report(JSONObject)
    case failure(any Error)
    /// When it is cancelled.
    case cancellation
  }

  private let states: [SealDetectionState]
  private let end: End
  private let recorded = Locked<[CameraMrzRequest]>([])

  public init(_ states: [SealDetectionState] = [], end: End) { (self.states, self.end) = (states, end) }

  public var requests: [CameraMrzRequest] { recorded.withLock { $0 } }

  public func scanSeal(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (SealDetectionState) -> Void
  ) async throws -> JSONObject {
    recorded.withLock { $0.append(request) }
    for state in states { onProgress(state) }
    switch end {
    case .report(let report): return report
    case .failure(let error): throw error
    case .cancellation:
      try await untilCancelled()
      return [:]
    }
  }
}

/// A haptic provider that records its calls.
public final class ScriptedHapticProvider: HapticProvider {
  private let hasDevice: Bool
  private let recorded = Locked<[String]>([])

  public init(isAvailable: Bool = true) { hasDevice = isAvailable }

  public var calls: [String] { recorded.withLock { $0 } }

  public func isAvailable() async -> Bool { hasDevice }
  public func impact(_ style: HapticImpactStyle) async { recorded.withLock { $0.append("impact \(style.rawValue)") } }
  public func notification(_ type: HapticNotificationType) async {
    recorded.withLock { $0.append("notification \(type.rawValue)") }
  }
  public func selection() async { recorded.withLock { $0.append("selection") } }
}

/// A navigation that follows the `given` of a vector.
public struct ScriptedNavigation: NavigationHost {
  let given: Vector

  public init(given: Vector) { self.given = given }

  public func goBack() async -> Bool { given["goBack"].flag }
  public func goTo(_ route: String, _ parameters: JSONObject) async -> Bool { given["goTo"].flag }
}

/// A host that records its calls in the form of `expect.host` of the vectors.
public actor RecordingHost: LaunchHost {
  public private(set) var calls: [JSONValue] = []
  private var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []

  public init() {}

  public func onSuccess(_ result: VerificationResult) { record(["callback": "onSuccess", "result": result.json]) }
  public func onFailure(_ error: VerificationError) {
    record(["callback": "onFailure", "error": ["code": .string(error.code), "message": .string(error.message)]])
  }
  public func onCancelled() { record(["callback": "onCancelled"]) }
  public func dismiss() { record(["action": "dismiss"]) }

  /// Waits for this number of calls, since the host is called after the response.
  public func wait(for count: Int) async {
    if calls.count >= count { return }
    await withCheckedContinuation { waiting.append((count, $0)) }
  }

  private func record(_ call: JSONValue) {
    calls.append(call)
    for (_, continuation) in waiting.filter({ $0.count <= calls.count }) { continuation.resume() }
    waiting.removeAll { $0.count <= calls.count }
  }
}
