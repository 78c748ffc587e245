/// What happens while the service waits for a finger.
public enum FingerprintEvent: Sendable, Equatable {
  /// The reader waits for a finger. Reported before each try.
  case waiting
  /// The reader saw a finger and needs it again. This is not a try.
  case retry(Retry)
  /// The finger is not an enrolled one, and there are more tries.
  case noMatch(remainingTries: Int)

  /// Why the reader needs the finger again (fprintd, "Verify Statuses").
  public enum Retry: String, Sendable, CaseIterable {
    case scan = "verify-retry-scan"
    case swipeTooShort = "verify-swipe-too-short"
    case notCentered = "verify-finger-not-centered"
    case removeAndRetry = "verify-remove-and-retry"
  }
}
