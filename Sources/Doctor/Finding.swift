/// One thing that was looked at, and what there is to say about it.
public struct Finding: Sendable, Equatable {
  public enum Status: String, Sendable, CaseIterable {
    /// It is there and works for this user.
    case ok
    /// Something is wrong, and `remedy` says what mends it.
    case problem
    /// Nothing is wrong: it is not there, is not used, or is only told.
    case information
  }

  /// Names the diagnosis for machines, such as `pcsc.polkit`; several devices may have the same one.
  public let id: String
  public let status: Status
  /// What was looked at, in a few words.
  public let title: String
  /// What was found, in one sentence.
  public let cause: String
  /// What to do, in one sentence.
  public let remedy: String?
  /// The remedy as one line for a shell (Debian 12), words from outside quoted.
  public let command: String?

  public init(
    _ id: String, _ status: Status, title: String, cause: String, remedy: String? = nil, command: String? = nil
  ) {
    self.id = id
    self.status = status
    self.title = title
    self.cause = cause
    self.remedy = remedy
    self.command = command
  }
}
