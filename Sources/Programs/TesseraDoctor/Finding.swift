/// The result of one check by `Doctor`.
public struct Finding: Sendable, Equatable {
  public enum Status: String, Sendable, CaseIterable {
    /// The checked part is available and works for this user.
    case ok
    /// Something is wrong; `remedy` describes the correction.
    case problem
    /// Not a problem: the checked part is absent or unused, or the finding is a fact only.
    case information
  }

  /// The stable identifier of the diagnosis, such as `pcsc.polkit`. Several devices may have the same one.
  public let id: String
  public let status: Status
  /// A short name of what was checked.
  public let title: String
  /// The observation, in one sentence.
  public let cause: String
  /// The correction, in one sentence.
  public let remedy: String?
  /// The correction as one line for a POSIX shell (Debian 12). Text from outside is quoted.
  public let command: String?
  /// The same for `tessera setup`; nil if the user has to do it, or if there is nothing to do.
  package let correction: Correction?

  /// - Parameter command: nil for that of the correction.
  package init(
    _ id: String, _ status: Status, title: String, cause: String, remedy: String? = nil, command: String? = nil,
    correction: Correction? = nil
  ) {
    self.id = id
    self.status = status
    self.title = title
    self.cause = cause
    self.remedy = remedy
    self.command = command ?? correction?.line
    self.correction = correction
  }
}
