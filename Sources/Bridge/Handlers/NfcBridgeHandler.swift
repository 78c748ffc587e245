/// The `nfc` domain: `scan` and `scanPassport` (two names of the passport read), `cancelScan`, `isSupported`.
///
/// A second scan of the same connection is answered with `ALREADY_SCANNING`, one of another connection with `NFC_BUSY`;
/// `cancelScan` ends the scan of its own connection and no other.
public final class NfcBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.nfc
  private let registry: SdkProviderRegistry
  private let desk = ScanDesk()

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  private enum Method: String {
    case scan, scanPassport, cancelScan, isSupported
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(word: request.method) else { throw BridgeError.methodNotFound }
    let provider = registry.providers.nfc
    switch method {
    case .isSupported: return .bool(await provider?.isAvailable() ?? false)
    case .cancelScan:
      _ = await desk.stop(for: request.connection)
      return nil
    case .scan, .scanPassport:
      guard let provider else { throw BridgeError.notConfigured("NFC") }
      return try await scan(request, provider) { emit("scanProgress", $0.payload) }
    }
  }

  private func scan(
    _ request: BridgeRequest, _ provider: any NfcProvider, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> JSONValue {
    let document = try Self.request(request.parameters)
    let stop: @Sendable () async -> Void = { await provider.cancelScan() }
    let text: String
    do {
      text = try await desk.scan(over: request.connection, stop: stop) { whileRunning in
        try await provider.scanPassport(document) { step in whileRunning { onProgress(step) } }
      }
    } catch ScanDesk.Refusal.alreadyScanning {
      throw BridgeError("ALREADY_SCANNING", "Another scan of yours is running.")
    } catch ScanDesk.Refusal.busy {
      throw BridgeError("NFC_BUSY", "The reader is in use by another program or page.")
    }
    guard let flat = try? JSONValue(text: text), case .object(let fields) = flat else {
      throw BridgeError("PARSE_ERROR", "The NFC provider's result is not a JSON object.")
    }
    return .object(NfcScanResult.complete(fields))
  }

  private static func request(_ parameters: BridgeParameters) throws -> NfcScanRequest {
    try refuseRawCommands(parameters)
    let can = try parameters.string("canNumber") ?? ""
    return NfcScanRequest(
      passportNumber: try parameters.required("passportNumber", orElse: "MISSING_PASSPORT_NUMBER"),
      dateOfBirth: try parameters.required("dateOfBirth", orElse: "MISSING_DOB"),
      dateOfExpiry: try parameters.required("dateOfExpiry", orElse: "MISSING_EXPIRY"),
      canNumber: try parameters.bool("useCan") && !can.isEmpty ? can : nil,
      skipPACE: try parameters.bool("skipPACE"), skipChipAuthentication: try parameters.bool("skipCA"))
  }

  /// Web content may not send commands of its own to a card: only an absent or empty list is fine.
  private static func refuseRawCommands(_ parameters: BridgeParameters) throws(BridgeError) {
    guard let commands = parameters["apduCommands"], commands != .array([]) else { return }
    throw BridgeError("NFC_APDU_NOT_ALLOWED", "Raw APDU commands are not allowed.")
  }
}
