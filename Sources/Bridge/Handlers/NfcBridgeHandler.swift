import Synchronization

/// The `nfc` domain: `scan` and `scanPassport` (two names of the passport read), `cancelScan`, `isSupported`.
public final class NfcBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.nfc
  private let registry: SdkProviderRegistry
  /// The scan that is waiting for its answer; one at a time.
  private let current = Mutex<Scan?>(nil)

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    switch request.method {
    case "isSupported": return .bool(await registry.providers.nfc?.isAvailable() ?? false)
    case "cancelScan":
      // The place is free before this is answered, so that a scan right after it is not refused.
      let scan = current.withLock { running in
        defer { running = nil }
        return running
      }
      scan?.cancel()
      await registry.providers.nfc?.cancelScan()
      return nil
    case "scan", "scanPassport": return try await scan(request.parameters) { emit("scanProgress", $0.payload) }
    default: throw BridgeError.methodNotFound
    }
  }

  private func scan(
    _ parameters: BridgeParameters, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> JSONValue {
    guard let provider = registry.providers.nfc else {
      throw BridgeError("NOT_CONFIGURED", "No NFC provider is registered.")
    }
    let request = try Self.request(parameters)
    let scan = Scan()
    let isFree = current.withLock { running in
      guard running == nil else { return false }
      running = scan
      return true
    }
    guard isFree else { throw BridgeError("ALREADY_SCANNING", "Another scan is running.") }
    defer { current.withLock { if $0 === scan { $0 = nil } } }

    let text = try await scan.result { [provider] in
      try await provider.scanPassport(request) { step in
        // Nothing is told of a scan that has been answered.
        scan.whileRunning { onProgress(step) }
      }
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

/// One running scan. It is answered as soon as it ends or is cancelled, whichever comes first: a provider that is
/// stuck in a reader's driver cannot hold the answer back.
private final class Scan: Sendable {
  private struct State {
    var answer: CheckedContinuation<String, any Error>?
    var task: Task<Void, Never>?
    var isCancelled = false
    var isAnswered = false
  }
  private let state = Mutex(State())

  func result(_ body: @escaping @Sendable () async throws -> String) async throws -> String {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let begins = state.withLock { state in
          guard !state.isCancelled else { return false }
          state.answer = continuation
          return true
        }
        guard begins else { return continuation.resume(throwing: CancellationError()) }
        let task = Task {
          do {
            self.answer(.success(try await body()))
          } catch {
            self.answer(.failure(error))
          }
        }
        let isCancelled = state.withLock { state in
          state.task = task
          return state.isCancelled
        }
        if isCancelled { task.cancel() }
      }
    } onCancel: {
      // Not on this thread: whoever cancels may be called from `whileRunning`, which holds the lock.
      Task.detached { self.cancel() }
    }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
    answer(.failure(CancellationError()))
  }

  func whileRunning(_ body: () -> Void) {
    state.withLock { if !$0.isAnswered { body() } }
  }

  private func answer(_ result: Result<String, any Error>) {
    let continuation = state.withLock { state in
      state.isAnswered = true
      defer { state.answer = nil }
      return state.answer
    }
    continuation?.resume(with: result)
  }
}
