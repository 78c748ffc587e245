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
