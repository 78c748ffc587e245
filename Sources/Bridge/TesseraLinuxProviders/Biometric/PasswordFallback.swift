/// Whose requests the password of the account may answer, where there is no finger: no reader, or none enrolled.
public enum PasswordFallback: Sendable, CaseIterable {
  case nobody
  /// The programs of the local user.
  case localPrograms
  /// Web content, too.
  case everyone
}
