import TesseraThreads

/// One launch of web content. It ends once; later `setResult` and `dismiss` requests receive a response and have no
/// effect.
public final class LaunchSession: Sendable {
  /// The configuration of the launch.
  public let launch: Launch
  private let host: (any LaunchHost)?

  private enum Progress {
    case running
    /// The host receives the outcome after the response to this request.
    case ended(LaunchOutcome, request: String)
    /// The host is receiving the outcome.
    case reporting
    case reported(LaunchOutcome)
  }
  private struct State {
    var progress = Progress.running
    var waiting: [CheckedContinuation<LaunchOutcome, Never>] = []
  }
  private let state = Locked(State())

  /// - Parameters:
  ///   - launch: what the page receives as its configuration.
  ///   - host: the program that launched the content; nil for a service without windows.
  public init(_ launch: Launch = Launch(), host: (any LaunchHost)? = nil) {
    self.launch = launch
    self.host = host
  }

  /// Ends the launch, unless it has ended.
  func end(_ outcome: LaunchOutcome, with request: String) {
    state.withLock { state in
      guard case .running = state.progress else { return }
      state.progress = .ended(outcome, request: request)
    }
  }

  /// Reports the outcome to the host, if this request ended the launch.
  func reportOutcome(after request: String) async {
    let outcome = state.withLock { state -> LaunchOutcome? in
      guard case .ended(let outcome, let ending) = state.progress, ending.hasBytes(of: request) else { return nil }
      state.progress = .reporting
      return outcome
    }
    if let outcome { await report(outcome) }
  }

  /// Ends the launch on behalf of the host: the user closed the window, or the content is gone. Has no effect if the
  /// content has ended it.
  public func finish(_ outcome: LaunchOutcome) async {
    let isFirst = state.withLock { state in
      guard case .running = state.progress else { return false }
      state.progress = .reporting
      return true
    }
    if isFirst { await report(outcome) }
  }

  /// The outcome, when it was reported to the host.
  public var outcome: LaunchOutcome {
    get async {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state -> LaunchOutcome? in
          if case .reported(let outcome) = state.progress { return outcome }
          state.waiting.append(continuation)
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    }
  }

  private func report(_ outcome: LaunchOutcome) async {
    if let host {
      switch outcome {
      case .succeeded(let result): await host.onSuccess(result)
      case .failed(let error): await host.onFailure(error)
      case .cancelled: await host.onCancelled()
      }
      await host.dismiss()
    }
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.progress = .reported(outcome)
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: outcome) }
  }
}

/// The program that launched the content. It receives one outcome (`onSuccess`, `onFailure` or `onCancelled`), then
/// `dismiss`.
public protocol LaunchHost: Sendable {
  func onSuccess(_ result: VerificationResult) async
  func onFailure(_ error: VerificationError) async
  func onCancelled() async
  /// Closes the window of the content.
  func dismiss() async
}

/// The outcome of a launch.
public enum LaunchOutcome: Sendable, Equatable {
  case succeeded(VerificationResult)
  case failed(VerificationError)
  /// By the user, or by the page on behalf of the user.
  case cancelled

  /// Interprets the parameters of `setResult`, which differ between client generations. The conditions are those of the
  /// table in the bridge protocol, section lifecycle.
  init(_ parameters: BridgeParameters) {
    let success = parameters.plainText("success")?.isTrue
    if let code = parameters.plainText("errorCode"), !code.isEmpty {
      self = .failed(VerificationError(code: code, message: parameters.plainText("errorMessage") ?? Self.noReason))
    } else if success == false, let error = Self.error(parameters["error"]) {
      self = .failed(error)
    } else if parameters.plainText("type") != nil {
      self = success == false ? .cancelled : .succeeded(VerificationResult(parameters))
    } else if success == true, let data = parameters["data"] {
      self = Self.outcome(of: data)
    } else {
      self = success == true ? .succeeded(VerificationResult(parameters)) : .cancelled
    }
  }

  /// Interprets a result in `data`. If its `success` is false, the outcome is a failure.
  private static func outcome(of data: JSONValue) -> LaunchOutcome {
    guard case .object(let fields) = data, case .bool(let success)? = fields["success"] else {
      return .failed(VerificationError(code: "PARSE_ERROR", message: "The result is unreadable."))
    }
    if success { return .succeeded(VerificationResult(BridgeParameters(fields))) }
    return .failed(error(fields["error"]) ?? VerificationError(code: "UNKNOWN", message: noReason))
  }

  private static func error(_ value: JSONValue?) -> VerificationError? {
    guard case .object(let members)? = value else { return nil }
    let fields = BridgeParameters(members)
    return VerificationError(
      code: fields.plainText("code") ?? "UNKNOWN", message: fields.plainText("message") ?? noReason)
  }

  private static let noReason = "The verification failed."
}

extension BridgeParameters {
  /// The text of a parameter; nil also for an object or an array.
  func plainText(_ key: String) -> String? { try? string(key) }
}
