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

/// The correction of a finding in a form that a program can run, as `tessera setup` does.
///
/// A finding whose command is for the user only has none: a command that shows something, opens a shell, changes the
/// shell that it is typed in, or ends a program that holds secrets.
package struct Correction: Sendable, Equatable {
  package enum Action: Sendable, Hashable {
    /// In order; a command runs only if the one before has succeeded.
    case root([RootCommand])
    /// A line for a POSIX shell that needs no privileges and acts on what belongs to this user.
    case user(String)
  }

  package let action: Action
  /// Whether only the user can tell if this machine needs it.
  package var isOptional = false
  /// What remains for the user to do, as an imperative sentence.
  package var afterwards: String?

  static func root(_ commands: [RootCommand], isOptional: Bool = false, afterwards: String? = nil) -> Correction {
    Correction(action: .root(commands), isOptional: isOptional, afterwards: afterwards)
  }

  static func user(_ line: String) -> Correction { Correction(action: .user(line)) }

  /// After the account has become a member of a group.
  static let newLogin = "Log out and in again: a session has the groups of its beginning."

  /// The correction as one line for a POSIX shell (Debian 12).
  var line: String {
    switch action {
    case .root(let commands): RootCommand.line(commands)
    case .user(let line): line
    }
  }
}

/// A check of one part of the system. It runs with the rights of the user, changes nothing and reads no secret.
protocol DiagnosticCheck: Sendable {
  /// A short name of the checked part.
  var title: String { get }

  /// Runs the check and returns at least one finding. It may block in a C library without limit.
  @concurrent func findings() async -> [Finding]

  /// The finding if the check exceeds its time limit.
  var timeoutFinding: Finding { get }
}

extension DiagnosticCheck {
  var timeoutFinding: Finding {
    problem(
      "doctor.silence", "The check did not finish within \(Doctor.limit).", remedy: "Check the load of the system.")
  }

  func ok(_ id: String, _ cause: String) -> Finding { Finding(id, .ok, title: title, cause: cause) }

  func problem(
    _ id: String, _ cause: String, remedy: String, command: String? = nil, correction: Correction? = nil
  ) -> Finding {
    Finding(id, .problem, title: title, cause: cause, remedy: remedy, command: command, correction: correction)
  }

  func information(
    _ id: String, _ cause: String, remedy: String? = nil, command: String? = nil, correction: Correction? = nil
  ) -> Finding {
    Finding(id, .information, title: title, cause: cause, remedy: remedy, command: command, correction: correction)
  }
}
