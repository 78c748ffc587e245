import TesseraCore

/// Texts for the log. They have no key, no identifier and no answer of the user.
enum OnboardingLog {
  /// What happened.
  static func cause(_ error: any Error) -> String { Failure(error).cause }
}
