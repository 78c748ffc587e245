import Threads

/// One launch of web content, from its window's opening to its result. It ends once; whatever the page sends after that
/// is answered and changes nothing.
public final class LaunchSession: Sendable {
  /// What the content was opened for.
  public let launch: Launch
  private let host: (any LaunchHost)?

  private enum State {
    case running
    /// The host hears of it when this request has been answered.
    case ended(LaunchOutcome, request: String)
    case told
  }
  private let state = Locked(State.running)

  /// - Parameter host: nil where nobody launched the content: a service without windows.
  public init(_ launch: Launch = Launch(), host: (any LaunchHost)? = nil) {
    self.launch = launch
    self.host = host
  }

  /// The first outcome counts.
  func end(_ outcome: LaunchOutcome, by request: String) {
    state.withLock { state in
      guard case .running = state else { return }
      state = .ended(outcome, request: request)
    }
  }

  /// Tells the host, if it was this request that ended the launch.
  func tellHost(of request: String) async {
    let outcome = state.withLock { state -> LaunchOutcome? in
      guard case .ended(let outcome, let ending) = state, ending.hasBytes(of: request) else { return nil }
      state = .told
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

/// Who launched the content, and is told how that ended: one of the first three once, and `dismiss` after it.
public protocol LaunchHost: Sendable {
  func onSuccess(_ result: VerificationResult) async
  func onFailure(_ error: VerificationError) async
  func onCancelled() async
  /// Closes the content's window.
  func dismiss() async
}
