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
  /// - Parameter updatesLists: whether the lists of packages are updated before an installation.
  package func line(_ elevation: RootCommand.Elevation, updatesLists: Bool) -> String {
    switch action {
    case .root(let commands): RootCommand.line(Self.unattended(commands, updatesLists), elevation)
    case .user(let line): line
    }
  }

  /// The commands for a run that nobody follows line by line. apt-get asks nothing: the person has agreed to the step
  /// already. `env`, since sudo and su pass no variables on.
  private static func unattended(_ commands: [RootCommand], _ updatesLists: Bool) -> [RootCommand] {
    let apt = "env DEBIAN_FRONTEND=noninteractive apt-get"
    var isUpdated = !updatesLists
    return commands.flatMap { command -> [RootCommand] in
      switch command {
      case .install(let packages):
        defer { isUpdated = true }
        // One source of packages that does not answer is no obstacle to those from the others.
        let update: [RootCommand] = isUpdated ? [] : [.attempt("\(apt) update")]
        return update + [.run("\(apt) install -y \(packages.joined(separator: " "))")]
      case .write(let source, let path):
        // A pipeline has the status of its last command: a source that fails would leave an empty file.
        return [.unprivileged("text=$(\(source))"), .write(#"printf '%s\n' "$text""#, to: path)]
      case .run, .attempt, .unprivileged: return [command]
      }
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
