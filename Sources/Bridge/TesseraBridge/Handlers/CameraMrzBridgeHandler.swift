import TesseraCore
import TesseraThreads

extension BridgeDomain {
  public static let camera = BridgeDomain(
    "camera", CameraMrzBridgeHandler.Method.self, granting: \.granted, denying: \.denied,
    wish: "wants to read a document, and a signed barcode on it, with the camera.")
}

/// The `camera` domain: `scanMRZ` (also spelled `scanMrz`), `scanSeal`, `isAvailable`, `stopCamera`.
///
/// Both scans use one camera: a second scan of the same connection fails with `ALREADY_SCANNING`, one of another
/// connection with `CAMERA_BUSY`. `stopCamera` ends the scan of its own connection only.
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
    case scanMRZ, scanMrz, scanSeal, isAvailable, stopCamera

    /// What a grant of this method includes. The report on a seal is verified personal data and needs a grant of its own.
    var granted: [Method] {
      switch self {
      case .scanMRZ, .scanMrz: Method.allCases.filter { $0 != .scanSeal }
      case .scanSeal: [.isAvailable, .stopCamera]
      case .isAvailable, .stopCamera: []
      }
    }

    /// What a denial of this method denies besides. A seal may contain the zone, so that it is denied with the zone.
    var denied: [Method] { self == .scanMRZ || self == .scanMrz ? [.scanSeal] : [] }
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound(request) }
    let providers = registry.providers
    switch method {
    case .isAvailable: return .bool(await providers.cameraMrz?.isAvailable() ?? false)
    case .stopCamera:
      _ = await coordinator.stop(for: request.connection)
      return nil
    case .scanMRZ, .scanMrz:
      guard let provider = providers.cameraMrz else { throw BridgeError.notConfigured("camera") }
      let hints = try Self.request(request.parameters)
      let fields = try await scan(
        request, "MRZ", emit, stop: { await provider.stopCamera() },
        provider: { report in try await provider.scanMrz(hints) { report($0.name) } })
      return try Self.checked(fields)
    case .scanSeal:
      guard let provider = providers.cameraSeal else { throw BridgeError.notConfigured("seal") }
      let place = CameraMrzRequest(scanRect: Self.rectangle(request.parameters["scanRect"]))
      // Cancelling its task is all that stops this provider.
      let report = try await scan(
        request, "SEAL", emit, stop: {},
        provider: { report in try await provider.scanSeal(place) { report($0.name) } })
      return .object(report)
    }
  }

  /// Runs one scan with the camera.
  ///
  /// - Parameters:
  ///   - name: with which the error codes of the scan begin.
  ///   - stop: stops the provider after its task was cancelled.
  ///   - body: the scan of the provider. Its parameter reports the name of what a picture shows.
  private func scan(
    _ request: BridgeRequest, _ name: String, _ emit: @escaping @Sendable (String, JSONValue) -> Void,
    stop: @escaping @Sendable () async -> Void,
    provider body: @escaping @Sendable (@escaping @Sendable (String) -> Void) async throws -> JSONObject
  ) async throws -> JSONObject {
    do {
      return try await coordinator.scan(over: request.connection, stop: stop) { ifRunning in
        let latest = Locked<String?>(nil)
        return try await body { state in
          // The camera reports every picture; the page receives changes only.
          let hasChanged = latest.withLock { latest in
            defer { latest = state }
            return latest != state
          }
          if hasChanged { ifRunning { emit("scanProgress", ["state": .string(state)]) } }
        }
      }
    } catch {
      throw Self.translated(error, of: name, request.caller)
    }
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
    var fields = fields
    // The protocol has the zone's letter as `gender`, without a filler; `sex` is the zone's.
    if fields["sex"] == nil, let letter = fields["gender"]?.stringValue, letter.utf8.count <= 1 {
      fields["sex"] = .string(letter.isEmpty ? "<" : letter)
    }
    return .object(fields)
  }

  private static func coded(_ code: String, _ cause: Failure?, _ caller: Caller, _ message: String) -> BridgeError {
    guard let cause else { return BridgeError(code, message) }
    return BridgeError(code, behind: cause, for: caller, otherwise: message)
  }

  private static func translated(_ error: any Error, of scan: String, _ caller: Caller) -> BridgeError {
    switch error {
    case ScanRefusal.alreadyScanning: BridgeError("ALREADY_SCANNING", "This connection already has a scan running.")
    case ScanRefusal.busy: BridgeError("CAMERA_BUSY", "Another program or page is using the camera.")
    case is CancellationError: BridgeError("\(scan)_SCAN_CANCELLED", "The scan was stopped.")
    case CameraMrzError.cannotStart(let cause):
      coded("CAMERA_INIT_FAILED", cause, caller, "The camera could not be started.")
    case CameraMrzError.notConnected(let cause):
      BridgeError("CAMERA_INIT_FAILED", "No camera is connected.", failure: cause)
    case CameraMrzError.permissionDenied(let cause):
      coded("CAMERA_PERMISSION_DENIED", cause, caller, "The use of the camera is not permitted.")
    default: BridgeError("\(scan)_SCAN_FAILED", behind: error, for: caller, otherwise: "The camera scan failed.")
    }
  }
}
