/// One thing that `tessera setup` asks about and does.
package struct SetupStep: Sendable, Equatable {
  package let action: Correction.Action
  /// What the step corrects.
  package let findings: [Finding]
  /// Whether only the person can tell if this machine needs it.
  package let isOptional: Bool
  /// Whether the step before it that installs packages must have succeeded.
  package let needsPackages: Bool
  /// What remains for the person to do after it.
  package let afterwards: [String]

  package var isForRoot: Bool {
    if case .root = action { true } else { false }
  }

  /// The packages that it installs.
  package var packages: [String] {
    guard case .root(let commands) = action else { return [] }
    return commands.flatMap(\.packages)
  }

  /// The step as one line for a POSIX shell.
  ///
  /// - Parameters:
  ///   - updatesLists: whether the lists of packages are updated before an installation.
  ///   - invoker: who called root, by sudo; a command for this user's own things runs as that account.
  package func line(_ elevation: RootCommand.Elevation, updatesLists: Bool, invoker: String?) -> String {
    switch action {
    case .root(let commands):
      RootCommand.line(Self.unattended(commands, updatesLists), elevation)
    case .user(let line):
      invoker.map { "runuser -u \(Shell.word($0)) -- /bin/sh -c \(Shell.word(line))" } ?? line
    }
  }

  /// The commands with an apt-get that asks nothing: the person has agreed to the step already. `env`, since sudo and
  /// su pass no variables on.
  private static func unattended(_ commands: [RootCommand], _ updatesLists: Bool) -> [RootCommand] {
    let apt = "env DEBIAN_FRONTEND=noninteractive apt-get"
    var isUpdated = !updatesLists
    return commands.flatMap { command -> [RootCommand] in
      guard case .install(let packages) = command else { return [command] }
      defer { isUpdated = true }
      let update: [RootCommand] = isUpdated ? [] : [.run("\(apt) update")]
      return update + [.run("\(apt) install -y \(packages.joined(separator: " "))")]
    }
  }
}

extension RootCommand {
  /// The packages that it installs.
  var packages: [String] {
    guard case .install(let packages) = self else { return [] }
    return packages
  }
}
