import Failures

/// The `nfc` domain: `scan` and `scanPassport` (two names of the passport read), `cancelScan`, `isSupported`.
///
/// A second scan of the same connection is answered with `ALREADY_SCANNING`, one of another connection with `NFC_BUSY`;
/// `cancelScan` ends the scan of its own connection and no other. A scan that takes too long ends with `NFC_SCAN_FAILED`.
///
/// What the provider finds wrong with a document is in the result: the scan succeeds, and `checks` says `failed`. Whether a
/// scan goes on after a failed PACE is the provider's to decide; the one that reads chips does not.
public final class NfcBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.nfc
  private let registry: SdkProviderRegistry
  private let desk = ScanDesk()
  private let timeLimit: Duration?

  /// How long a scan may take, the wait for the document included. The client gives up after 120 s, and does not hear any
  /// more why there was no document; it can scan again at once when the answer comes before that.
  public static let timeLimit = Duration.seconds(115)

  /// - Parameter timeLimit: nil where the asker has all the time there is.
  public init(registry: SdkProviderRegistry, timeLimit: Duration? = NfcBridgeHandler.timeLimit) {
    self.registry = registry
    self.timeLimit = timeLimit
  }

  public func didLeave(_ connection: BridgeConnection) async { _ = await desk.stop(for: connection) }

  enum Method: String, CaseIterable {
    case scan, scanPassport, cancelScan, isSupported

    /// The two names of one thing.
    var isScan: Bool { self == .scan || self == .scanPassport }
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
      text = try await desk.scan(over: request.connection, within: timeLimit, stop: stop) { whileRunning in
        try await provider.scanPassport(document) { step in whileRunning { onProgress(step) } }
      }
    } catch ScanDesk.Refusal.alreadyScanning {
      throw BridgeError("ALREADY_SCANNING", "Another scan of yours is running.")
    } catch ScanDesk.Refusal.tooLong {
      throw BridgeError(
        "NFC_SCAN_FAILED", "The scan took too long. Hold the document still on the reader, and scan again.")
    } catch ScanDesk.Refusal.busy {
      throw BridgeError("NFC_BUSY", "The reader is in use by another program or page.")
    } catch {
      throw Self.translated(error, request.caller)
    }
    guard let flat = try? JSONValue(text: text), case .object(let fields) = flat else {
      throw BridgeError("PARSE_ERROR", "The NFC provider's result is not a JSON object.")
    }
    return .object(NfcScanResult.complete(fields))
  }

  /// Web content is told of its own request and of the document. Of the machine it learns by the protocol's code that there
  /// is no reader or that it is off, and neither why nor what its readers are called.
  private static func translated(_ error: any Error, _ caller: BridgeCaller) -> BridgeError {
    let whole = BridgeError(error)
    guard caller != .local, let failure = whole.failure else { return whole }
    switch failure.kind {
    case .noCard: return BridgeError(whole.code, "No document was laid on the reader in time.", failure: failure)
    case .cardLost: return BridgeError(whole.code, "The document was lost during the scan.", failure: failure)
    case let kind where kind.isOfTheMachine:
      return BridgeError(whole.code, "Documents cannot be read here at the moment.", failure: failure)
    default: return whole
    }
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
