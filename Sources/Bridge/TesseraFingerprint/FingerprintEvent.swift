/// What happens while the service waits for a finger.
///
/// An event names a finger if the reader compares with that one only, because it cannot identify.
public enum FingerprintEvent: Sendable, Equatable {
  /// The reader waits for a finger. Reported before each try.
  case waiting(Finger?)
  /// The reader saw a finger and needs it again. This is not a try.
  case retry(Retry, Finger?)
  /// The finger is not the expected one, and there are more tries. The next one is for the finger `next`.
  case noMatch(remainingTries: Int, next: Finger?)

  /// Why the reader needs the finger again (fprintd, "Verify Statuses").
  public enum Retry: String, Sendable, CaseIterable {
    case scan = "verify-retry-scan"
    case swipeTooShort = "verify-swipe-too-short"
    case notCentered = "verify-finger-not-centered"
    case removeAndRetry = "verify-remove-and-retry"
  }
}
