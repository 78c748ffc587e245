package import TesseraCore

/// What the program may not ask, or not now (Passage.md, rule 19).
extension PassageSession {
  /// Why a call cannot be carried out.
  ///
  /// - Returns: nil if it can.
  package func refusal(of call: HostRequest.Call) -> Failure? {
    switch call {
    case .navigate, .goBack, .goForward, .completeRecording, .captureRecordingData, .injectJavaScript:
      isShown ? refusalWhileShown(of: call) : Self.notOpen
    case .close, .cookies, .setCookie, .clearCookies, .clearCookiesOfDomains, .clearAllCookies, .clearWebViewState,
      .clearWebViewData, .resetWebViewURLs, .releaseResources:
      nil
    }
  }

  /// Begins something that `refusal(of:since:)` is asked about afterwards.
  package mutating func mark() -> Int { number() }

  /// Why the result of a script may not reach the program.
  ///
  /// - Parameter mark: when the script began. A page that the user did not agree to may have come and gone since.
  /// - Returns: nil if it may.
  package func refusal(of call: HostRequest.Call, since mark: Int) -> Failure? {
    if case .injectJavaScript(_, .automation) = call, isShown, !isConsented(since: mark) { return Self.notAgreed }
    return refusal(of: call)
  }

  private static let notAgreed = Failure(
    .accessDenied, "The user did not agree to this page.",
    remedy: "Call injectJavaScript while the view shows a page of the integration.")

  /// What is asked of views that are not there.
  package static let notOpen = Failure(.usage, "Passage is not open.", remedy: "Call open first.")

  private var isShown: Bool {
    switch phase {
    case .opening, .consenting, .running: true
    case .idle, .closing, .ended: false
    }
  }

  private func refusalWhileShown(of call: HostRequest.Call) -> Failure? {
    switch call {
    case .navigate(let address) where WebAddress(address) == nil:
      Failure(.usage, "The address is not one of https or http.", remedy: "Write it as https://HOST/PATH.")
    case .completeRecording where !isRecording, .captureRecordingData where !isRecording:
      Failure(.usage, "Nothing is recorded.", remedy: "Open Passage with an intent token whose “record” is true.")
    case .captureRecordingData where openRecording == nil:
      Failure(
        .usage, "The recording's command has a result already.", remedy: "Wait for the controller's next command.")
    // A page may have come that the user did not agree to: neither its content nor its name goes to the program.
    case .injectJavaScript(_, .automation) where !isPageConsented, .injectJavaScript(_, .ui) where isUIElsewhere:
      Self.notAgreed
    default: nil
    }
  }
}
