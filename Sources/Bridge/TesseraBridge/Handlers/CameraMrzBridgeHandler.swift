import TesseraCore
import TesseraThreads

extension BridgeDomain {
  public static let camera = BridgeDomain(
    "camera", CameraMrzBridgeHandler.Method.self, granting: \.granted,
    wish: "wants to read a document with the camera.")
}

/// The `camera` domain: `scanMRZ` (also spelled `scanMrz`), `isAvailable`, `stopCamera`.
///
/// A second scan of the same connection fails with `ALREADY_SCANNING`, one of another connection with `CAMERA_BUSY`.
/// `stopCamera` ends the scan of its own connection only.
public final class CameraMrzBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.camera
  private let registry: SdkProviderRegistry
  private let coordinator: ScanCoordinator<JSONObject>

  public convenience init(registry: SdkProviderRegistry) {
    self.init(registry: registry, coordinator: ScanCoordinator())
  }

  init(registry: SdkProviderRegistry, coordinator: ScanCoordinator<JSONObject>) {
    self.registry = registry
    self.coordinator = coordinator
  }

  public func didDismiss(_ connection: BridgeConnection) async { _ = await coordinator.stop(for: connection) }

  enum Method: String, CaseIterable {
    case scanMRZ, scanMrz, isAvailable, stopCamera

    /// What a grant of this method includes: the two names of the scan include everything.
    var granted: [Method] { self == .scanMRZ || self == .scanMrz ? Method.allCases : [] }
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound }
    let provider = registry.providers.cameraMrz
    switch method {
    case .isAvailable: return .bool(await provider?.isAvailable() ?? false)
    case .stopCamera:
      _ = await coordinator.stop(for: request.connection)
      return nil
    case .scanMRZ, .scanMrz:
      guard let provider else { throw BridgeError.notConfigured("camera") }
      return try await scan(request, provider) { emit("scanProgress", ["state": .string($0.name)]) }
    }
  }

  private func scan(
    _ request: BridgeRequest, _ provider: any CameraMrzProvider,
    onProgress: @escaping @Sendable (MrzDetectionState) -> Void
  ) async throws -> JSONValue {
    let hints = try Self.request(request.parameters)
    let stop: @Sendable () async -> Void = { await provider.stopCamera() }
    let fields: JSONObject
    do {
      fields = try await coordinator.scan(over: request.connection, stop: stop) { ifRunning in
        let latest = Locked<MrzDetectionState?>(nil)
        return try await provider.scanMrz(hints) { state in
          // The camera reports every picture; the page receives changes only.
          let hasChanged = latest.withLock { latest in
            defer { latest = state }
            return latest != state
          }
          if hasChanged { ifRunning { onProgress(state) } }
        }
      }
    } catch {
      throw Self.translated(error, request.caller)
    }
    return try Self.checked(fields)
  }

  private static func request(_ parameters: BridgeParameters) throws -> CameraMrzRequest {
    CameraMrzRequest(
      documentType: try parameters.string("documentType"), countryCode: try parameters.string("countryCode"),
      scanRect: rectangle(parameters["scanRect"]))
  }

  /// nil if the value is not a rectangle, which is no error: it is only a hint.
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

  /// Requires the three fields that the page needs to open the chip.
  private static func checked(_ fields: JSONObject) throws(BridgeError) -> JSONValue {
    for field in ["documentNumber", "dateOfBirth", "dateOfExpiry"] where fields[field]?.stringValue?.isEmpty ?? true {
      throw BridgeError("MRZ_SCAN_INVALID_RESULT", "The machine readable zone has no field \"\(field)\".")
    }
    return .object(fields)
  }

  private static func coded(_ code: String, _ cause: Failure?, _ caller: Caller, _ message: String) -> BridgeError {
    guard let cause else { return BridgeError(code, message) }
    return BridgeError(code, behind: cause, for: caller, otherwise: message)
  }

  private static func translated(_ error: any Error, _ caller: Caller) -> BridgeError {
    switch error {
    case ScanRefusal.alreadyScanning: BridgeError("ALREADY_SCANNING", "This connection already has a scan running.")
    case ScanRefusal.busy: BridgeError("CAMERA_BUSY", "Another program or page is using the camera.")
    case is CancellationError: BridgeError("MRZ_SCAN_CANCELLED", "The scan was stopped.")
    case CameraMrzError.cannotStart(let cause):
      coded("CAMERA_INIT_FAILED", cause, caller, "The camera could not be started.")
    case CameraMrzError.permissionDenied(let cause):
      coded("CAMERA_PERMISSION_DENIED", cause, caller, "The use of the camera is not permitted.")
    default: BridgeError("MRZ_SCAN_FAILED", behind: error, for: caller, otherwise: "The camera scan failed.")
    }
  }
}
