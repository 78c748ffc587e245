import TesseraCore
import TesseraThreads

extension BridgeDomain {
  public static let nfc = BridgeDomain(
    "nfc", NfcBridgeHandler.Method.self, granting: \.granted,
    wish: "wants to read a document, with all its data, on the NFC reader.")
}

/// The `nfc` domain: `scan` and `scanPassport` (two names of the passport read), `scanReport` (Tessera's own: the same,
/// with everything that the chip lets be read, and the checks), `cancelScan`, `isSupported`.
///
/// A second scan of the same connection fails with `ALREADY_SCANNING`, one of another connection with `NFC_BUSY`.
/// `cancelScan` ends the scan of its own connection only. A scan that exceeds the time limit fails with
/// `NFC_SCAN_FAILED`.
///
/// A failed check of the document does not fail the scan: the result lists it in `checks`. The bridge protocol, section
/// nfc, describes parameters, events and results.
public final class NfcBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.nfc
  private let registry: SdkProviderRegistry
  private let coordinator: ScanCoordinator<NfcScanResult>
  private struct Watch: Sendable {
    let caller: Caller
    let task: Task<Void, Never>
  }
  private let watches = Locked<[BridgeConnection: Watch]>([:])
  private let timeLimit: Duration?
  /// The most watches of one caller. Each follows the readers in a thread.
  private static let mostWatches = 4

  /// The longest time that a scan may take, including the wait for the document. It ends before the timeout of the
  /// clients (120 s), so that they receive the reason and can scan again at once.
  public static let timeLimit = Duration.seconds(115)

  /// - Parameters:
  ///   - registry: provides the `NfcProvider`.
  ///   - timeLimit: nil for no limit.
  public convenience init(registry: SdkProviderRegistry, timeLimit: Duration? = NfcBridgeHandler.timeLimit) {
    self.init(registry: registry, timeLimit: timeLimit, coordinator: ScanCoordinator())
  }

  init(registry: SdkProviderRegistry, timeLimit: Duration?, coordinator: ScanCoordinator<NfcScanResult>) {
    self.registry = registry
    self.timeLimit = timeLimit
    self.coordinator = coordinator
  }

  public func didDismiss(_ connection: BridgeConnection) async {
    await stopWatching(connection)
    _ = await coordinator.stop(for: connection)
  }

  enum Method: String, CaseIterable {
    case scan, scanPassport, scanReport, cancelScan, isSupported, watchReader, stopWatching

    /// What a grant of this method includes. What only a report contains needs a grant of its own.
    var granted: [Method] {
      switch self {
      case .scan, .scanPassport: Method.allCases.filter { $0 != .scanReport }
      case .scanReport: Method.allCases
      case .watchReader: [.stopWatching]
      case .cancelScan, .isSupported, .stopWatching: []
      }
    }
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound(request) }
    let provider = registry.providers.nfc
    switch method {
    case .isSupported: return .bool(await provider?.isAvailable() ?? false)
    case .cancelScan:
      _ = await coordinator.stop(for: request.connection)
      return nil
    case .stopWatching:
      await stopWatching(request.connection)
      return nil
    case .watchReader:
      guard let provider else { throw BridgeError.notConfigured("NFC") }
      try await watch(provider, request) { emit("readerChanged", $0) }
      return nil
    case .scan, .scanPassport, .scanReport:
      guard let provider else { throw BridgeError.notConfigured("NFC") }
      return .object(
        try await scan(request, provider, wantsReport: method == .scanReport) { emit("scanProgress", $0) }.json)
    }
  }

  /// Reports the state of the readers and each change until the connection stops it or is closed.
  private func watch(
    _ provider: any NfcProvider, _ request: BridgeRequest, report: @escaping @Sendable (JSONValue) -> Void
  ) async throws {
    let watching = try watches.withLock { watches throws(BridgeError) in
      guard watches[request.connection] == nil else {
        throw BridgeError("ALREADY_SCANNING", "This connection already watches the readers.")
      }
      guard watches.values.count(where: { $0.caller == request.caller }) < Self.mostWatches else {
        throw BridgeError("TOO_MANY_REQUESTS", "Too many connections of this caller watch the readers.")
      }
      guard let states = provider.readerStates() else {
        throw BridgeError("NOT_CONFIGURED", "The NFC provider does not know the state of its readers.")
      }
      let watching = Task {
        var last: NfcReaderState?
        for await state in states where !Task.isCancelled {
          for change in state.changes(since: last) {
            report([
              "change": .string(change), "readers": .integer(Int64(state.readers)),
              "documents": .integer(Int64(state.documents)),
            ])
          }
          last = state
        }
      }
      watches[request.connection] = Watch(caller: request.caller, task: watching)
      return watching
    }
    defer {
      // Another watch may have begun since this one was stopped.
      watches.withLock { if $0[request.connection]?.task == watching { $0[request.connection] = nil } }
    }
    await withTaskCancellationHandler {
      await watching.value
    } onCancel: {
      watching.cancel()
    }
    // The page has not ended it, and would take a normal end for an answer to `stopWatching`.
    if Task.isCancelled, request.caller != .local {
      throw BridgeError("SCAN_ABORTED", "The watch of the readers was ended by the service.", details: Self.stopping)
    }
  }

  /// The details of what the service ended, and not the page.
  private static let stopping: JSONValue = ["reason": "serviceStopping"]

  /// Returns when the watch has ended, so that the next one can begin.
  private func stopWatching(_ connection: BridgeConnection) async {
    guard let watch = watches.withLock({ $0.removeValue(forKey: connection) }) else { return }
    watch.task.cancel()
    await watch.task.value
  }

  private func scan(
    _ request: BridgeRequest, _ provider: any NfcProvider, wantsReport: Bool,
    onProgress: @escaping @Sendable (JSONValue) -> Void
  ) async throws -> NfcScanResult {
    let document = try Self.request(request.parameters, wantsReport: wantsReport)
    let stop: @Sendable () async -> Void = { await provider.cancelScan() }
    do {
      return try await coordinator.scan(over: request.connection, within: timeLimit, stop: stop) { ifRunning in
        let latest = Locked<NfcScanStep?>(nil)
        return try await provider.scanPassport(document) { step in
          if latest.withLock({ step.advance(&$0) }) { ifRunning { onProgress(step.payload) } }
        } onFile: { progress in
          guard wantsReport, let step = latest.withLock({ $0 }) else { return }
          ifRunning { onProgress(step.payload(progress)) }
        }
      }
    } catch ScanRefusal.alreadyScanning {
      throw BridgeError("ALREADY_SCANNING", "This connection already has a scan running.")
    } catch ScanRefusal.timedOut {
      throw BridgeError(
        "NFC_SCAN_FAILED", "The scan exceeded its time limit. Keep the document still on the reader and scan again.")
    } catch ScanRefusal.busy {
      throw BridgeError("NFC_BUSY", "Another program or page is using the reader.")
    } catch {
      let translated = Self.translated(error, request.caller)
      guard Task.isCancelled, request.caller != .local, translated.code == "SCAN_ABORTED" else { throw translated }
      throw BridgeError(
        translated.code, translated.message, details: translated.details ?? Self.stopping, failure: translated.failure)
    }
  }

  /// The error for the caller. Web content receives the details of its request and of the document. About the machine
  /// it receives the error code, but neither the cause nor the names of the readers.
  private static func translated(_ error: any Error, _ caller: Caller) -> BridgeError {
    let complete = BridgeError(error)
    guard caller != .local, let failure = complete.failure else { return complete }
    switch failure.kind {
    case .noCard: return BridgeError(complete.code, "No document was detected in time.", failure: failure)
    case .cardLost: return BridgeError(complete.code, "The document was removed during the scan.", failure: failure)
    case let kind where kind.isHostFault:
      return BridgeError(complete.code, "The document reader is not available.", failure: failure)
    default: return complete
    }
  }

  private static func request(_ parameters: BridgeParameters, wantsReport: Bool) throws -> NfcScanRequest {
    try refuseRawCommands(parameters)
    let can = try parameters.string("canNumber") ?? ""
    return NfcScanRequest(
      passportNumber: try parameters.required("passportNumber", orElse: "MISSING_PASSPORT_NUMBER"),
      dateOfBirth: try parameters.required("dateOfBirth", orElse: "MISSING_DOB"),
      dateOfExpiry: try parameters.required("dateOfExpiry", orElse: "MISSING_EXPIRY"),
      canNumber: try parameters.bool("useCan") && !can.isEmpty ? can : nil,
      skipPACE: try parameters.bool("skipPACE"), skipChipAuthentication: try parameters.bool("skipCA"),
      wantsReport: wantsReport)
  }

  /// Refuses raw card commands. An absent or empty list is accepted.
  private static func refuseRawCommands(_ parameters: BridgeParameters) throws(BridgeError) {
    guard let commands = parameters["apduCommands"], commands != .array([]) else { return }
    throw BridgeError("NFC_APDU_NOT_ALLOWED", "Raw APDU commands are not allowed.")
  }
}
