import Threads

/// The `camera` domain: `scanMRZ` (also spelled `scanMrz`), `isAvailable`, `stopCamera`.
///
/// A scan has the camera for itself: a second one of the same connection is answered with `ALREADY_SCANNING`, one of
/// another connection with `CAMERA_BUSY`. `stopCamera` settles the scan of its own connection and no other.
public final class CameraMrzBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.camera
  private let registry: SdkProviderRegistry
  private let desk = ScanDesk()

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  public func didLeave(_ connection: BridgeConnection) async { _ = await desk.stop(for: connection) }

  enum Method: String, CaseIterable {
    case scanMRZ, scanMrz, isAvailable, stopCamera

    /// The two names of one thing.
    var isScan: Bool { self == .scanMRZ || self == .scanMrz }
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(word: request.method) else { throw BridgeError.methodNotFound }
    let provider = registry.providers.cameraMrz
    switch method {
    case .isAvailable: return .bool(await provider?.isAvailable() ?? false)
    case .stopCamera:
      _ = await desk.stop(for: request.connection)
      return nil
    case .scanMRZ, .scanMrz:
      guard let provider else { throw BridgeError.notConfigured("camera") }
      return try await scan(request, provider) { emit("scanProgress", ["state": .string($0.word)]) }
    }
  }

  private func scan(
    _ request: BridgeRequest, _ provider: any CameraMrzProvider,
    onProgress: @escaping @Sendable (MrzDetectionState) -> Void
  ) async throws -> JSONValue {
    let hints = try Self.request(request.parameters)
    let stop: @Sendable () async -> Void = { await provider.stopCamera() }
    let text: String
    do {
      text = try await desk.scan(over: request.connection, stop: stop) { whileRunning in
        let shown = Locked<MrzDetectionState?>(nil)
        return try await provider.scanMrz(hints) { state in
          // A camera sees the same thing thirty times a second; the page is told once.
          let isNews = shown.withLock { shown in
            defer { shown = state }
            return shown != state
          }
          if isNews { whileRunning { onProgress(state) } }
        }
      }
    } catch {
      throw Self.translated(error, request.caller)
    }
    return try Self.complete(text)
  }

  private static func request(_ parameters: BridgeParameters) throws -> CameraMrzRequest {
    CameraMrzRequest(
      documentType: try parameters.string("documentType"), countryCode: try parameters.string("countryCode"),
      scanRect: rectangle(parameters["scanRect"]))
  }

  /// nil for what is no rectangle: it is only a hint.
  private static func rectangle(_ value: JSONValue?) -> CameraMrzRequest.Rectangle? {
    func length(_ key: String) -> Double? {
      switch value?[key] {
      case .integer(let number): Double(number)
      case .number(let number): number.double
      default: nil
      }
    }
    guard let x = length("x"), let y = length("y"), let width = length("width"), let height = length("height"),
      width > 0, height > 0
    else { return nil }
    return CameraMrzRequest.Rectangle(x: x, y: y, width: width, height: height)
  }

  /// The page goes on with the three fields that open the chip; without them it has nothing.
  private static func complete(_ text: String) throws(BridgeError) -> JSONValue {
    guard let result = try? JSONValue(text: text), case .object = result else {
      throw BridgeError("PARSE_ERROR", "The camera provider's result is not a JSON object.")
    }
    for field in ["documentNumber", "dateOfBirth", "dateOfExpiry"] where result[field]?.stringValue?.isEmpty ?? true {
      throw BridgeError("MRZ_SCAN_INVALID_RESULT", "The zone that was found has no field \"\(field)\".")
    }
    return result
  }

  private static func translated(_ error: any Error, _ caller: BridgeCaller) -> BridgeError {
    switch error {
    case ScanDesk.Refusal.alreadyScanning: BridgeError("ALREADY_SCANNING", "Another scan of yours is running.")
    case ScanDesk.Refusal.busy: BridgeError("CAMERA_BUSY", "The camera is in use by another program or page.")
    case is CancellationError: BridgeError("MRZ_SCAN_CANCELLED", "The scan was stopped.")
    case CameraMrzError.cannotStart: BridgeError("CAMERA_INIT_FAILED", "The camera could not be started.")
    case CameraMrzError.permissionDenied: BridgeError("CAMERA_PERMISSION_DENIED", "The camera may not be used.")
    default: BridgeError("MRZ_SCAN_FAILED", behind: error, toldTo: caller, otherwise: "The camera could not do it.")
    }
  }
}
