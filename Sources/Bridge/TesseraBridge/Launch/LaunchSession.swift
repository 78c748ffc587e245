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

  /// Ends the launch on behalf of the host: the person closed the window, or the content is gone. Has no effect if the
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
