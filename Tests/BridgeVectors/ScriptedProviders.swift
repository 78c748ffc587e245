public import Bridge
import Failures
public import TestSupport
import Threads

/// Behave as a vector's `given` says.

public struct ScriptedBiometricProvider: BiometricProvider {
  let given: Vector

  public init(given: Vector) { self.given = given }

  public func isAvailable() async -> Bool { given["available"].flag }
  public func getBiometryType() async -> String { given["type"].text }
  public func authenticate(reason: String, for caller: BridgeCaller) async throws {
    guard given["authenticate"].text == "succeed" else { throw Failure(.confirmationRefused, "Not recognised.") }
  }
}

/// A camera whose pictures are texts as recognition would give them.
public struct ScriptedCameraProvider: CameraMrzProvider {
  let given: Vector
  /// Is open when a scan looks at nothing.
  public let isWaiting = Gate()

  public init(given: Vector) { self.given = given }

  public func isAvailable() async -> Bool { given["available"].flag }
  public func stopCamera() async {}

  public func scanMrz(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (MrzDetectionState) -> Void
  ) async throws -> String {
    if given["initError"].flag { throw CameraMrzError.cannotStart }
    if given["permission"].text == "denied" { throw CameraMrzError.permissionDenied }
    if given["error"].isPresent { throw Failure(.internalError, given["error"].text) }
    if given["rawResult"].isPresent { return given["rawResult"].text }
    for frame in given["frames"].list.map(\.text) {
      // A camera sees everything several times.
      for _ in 0..<3 { onProgress(MrzLines.state(of: frame)) }
      if let lines = MrzLines.find(in: frame) { return MrzFields.json(lines).text }
    }
    await isWaiting.open()
    try await Task.sleep(for: .seconds(60))
    return ""
  }
}

/// Writes down what it is asked for; what rumbles is tested in the lab.
public final class ScriptedHapticProvider: HapticProvider {
  private let isThere: Bool
  private let recorded = Locked<[String]>([])

  public init(isThere: Bool = true) { self.isThere = isThere }

  public var calls: [String] { recorded.withLock { $0 } }

  public func isAvailable() async -> Bool { isThere }
  public func impact(_ style: HapticImpactStyle) async { recorded.withLock { $0.append("impact \(style.rawValue)") } }
  public func notification(_ type: HapticNotificationType) async {
    recorded.withLock { $0.append("notification \(type.rawValue)") }
  }
  public func selection() async { recorded.withLock { $0.append("selection") } }
}

public struct ScriptedNavigation: NavigationHost {
  let given: Vector

  public init(given: Vector) { self.given = given }

  public func goBack() async -> Bool { given["goBack"].flag }
  public func goTo(_ route: String, _ parameters: JSONObject) async -> Bool { given["goTo"].flag }
}

/// Writes down what it is told, in the words of the vectors' `expect.host`.
public actor RecordingHost: LaunchHost {
  public private(set) var told: [JSONValue] = []
  private var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []

  public init() {}

  public func onSuccess(_ result: VerificationResult) { tell(["callback": "onSuccess", "result": result.json]) }
  public func onFailure(_ error: VerificationError) {
    tell(["callback": "onFailure", "error": ["code": .string(error.code), "message": .string(error.message)]])
  }
  public func onCancelled() { tell(["callback": "onCancelled"]) }
  public func dismiss() { tell(["action": "dismiss"]) }

  /// Waits until this much was told: the host is told after the answer.
  public func wait(for count: Int) async {
    if told.count >= count { return }
    await withCheckedContinuation { waiting.append((count, $0)) }
  }

  private func tell(_ effect: JSONValue) {
    told.append(effect)
    for (_, continuation) in waiting.filter({ $0.count <= told.count }) { continuation.resume() }
    waiting.removeAll { $0.count <= told.count }
  }
}
