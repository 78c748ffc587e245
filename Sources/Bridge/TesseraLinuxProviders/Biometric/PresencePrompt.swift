package import TesseraBridge
package import TesseraCore

/// What the user sees while a request waits for a finger or a password.
package protocol PresencePrompt: Sendable {
  /// Whether there is something that shows a prompt.
  func isPossible() async -> Bool
  /// Returns if the user would see a prompt now, or sees the one that is shown.
  ///
  /// - Throws: `PresenceError.noPrompt`, `.hidden`.
  func requireVisible() async throws(PresenceError)
  /// Shows the prompt, or replaces what it shows.
  ///
  /// - Returns: Whether the desktop took it. It may hide it: see `requireVisible`.
  func show(_ text: PresenceText, _ progress: BiometricProgress) async -> Bool
  /// Removes the prompt. Does nothing if none is shown.
  func withdraw() async
}

/// Who asks and why, safe to display: both can come from a web page.
package struct PresenceText: Sendable, Equatable {
  /// The caller and its wish. It has no word of the page but its origin.
  package let title: String
  /// The reason, in the words of the caller.
  package let reason: String

  package init(_ caller: Caller, _ reason: String) {
    title =
      switch caller {
      case .local: "A program wants to know that it is you"
      case .web(let origin): "\(PrintableText.of(origin)) wants to know that it is you"
      }
    self.reason = PrintableText.of(reason)
  }
}

/// An error of the request for the user that is not one of the reader or of polkit.
package enum PresenceError: Error, Sendable, Equatable {
  /// No notification can be shown, so the user could not know what a finger allows.
  case noPrompt
  /// The desktop hides notifications now, so the user did not see what a finger allows.
  case hidden
  /// The last request of this origin was shown and not confirmed; the next one is possible after this many seconds.
  case paused(seconds: Int)
  /// Another request of this process waits for the user.
  case anotherRequest
  /// The screen is locked, so that the user cannot see who asks and would touch the reader to unlock it.
  case screenLocked
}

extension PresenceError: FailureConvertible {
  package var failure: Failure {
    switch self {
    case .noPrompt:
      Failure(
        .confirmationRefused, "The desktop cannot show who asks, so the user was not asked.",
        remedy: "Start a notification service, which most desktops include.", details: ["reason": "no_prompt"])
    case .hidden:
      Failure(
        .confirmationRefused, "Do not disturb hides notifications, so the user was not asked.",
        remedy: "Turn off do not disturb, then try again.", details: ["reason": "do_not_disturb"])
    case .paused(let seconds):
      Failure(
        .confirmationRefused,
        "The user did not confirm the last request of this origin; the next one is possible in \(seconds) s.",
        remedy: "Wait \(seconds) s, then try again.", details: ["reason": "paused", "retryAfter": "\(seconds)"])
    case .anotherRequest:
      Failure(
        .confirmationRefused, "Another request waits for the user.",
        remedy: "Wait for its end, then try again.", details: ["reason": "another_request"])
    case .screenLocked:
      Failure(
        .confirmationRefused, "The screen is locked, or Tessera could not find out whether it is.",
        remedy: "Unlock the screen, then try again.", details: ["reason": "screen_locked"])
    }
  }
}
