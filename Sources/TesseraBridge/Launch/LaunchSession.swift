import TesseraThreads

/// One launch of web content. It ends once; later `setResult` and `dismiss` requests receive a response and have no
/// effect.
public final class LaunchSession: Sendable {
  /// The configuration of the launch.
  public let launch: Launch
  private let host: (any LaunchHost)?

  private enum State {
    case running
    /// The host receives the outcome after the response to this request.
    case ended(LaunchOutcome, request: String)
    case reported
  }
  private let state = Locked(State.running)

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
      guard case .running = state else { return }
      state = .ended(outcome, request: request)
    }
  }

  /// Reports the outcome to the host, if this request ended the launch.
  func reportOutcome(after request: String) async {
    let outcome = state.withLock { state -> LaunchOutcome? in
      guard case .ended(let outcome, let ending) = state, ending.hasBytes(of: request) else { return nil }
      state = .reported
      return outcome
    }
    guard let outcome, let host else { return }
    switch outcome {
    case .succeeded(let result): await host.onSuccess(result)
    case .failed(let error): await host.onFailure(error)
    case .cancelled: await host.onCancelled()
    }
    await host.dismiss()
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
