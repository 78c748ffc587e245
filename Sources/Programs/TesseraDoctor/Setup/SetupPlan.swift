/// The steps that correct findings: one installation of all packages, then each other command once, then what is
/// optional.
package struct SetupPlan: Sendable {
  package let steps: [SetupStep]

  package init(_ findings: [Finding]) {
    var drafts = Drafts()
    for finding in findings {
      guard let correction = finding.correction else { continue }
      guard case .root(let commands) = correction.action, !correction.isOptional else {
        drafts.add(correction, finding)
        continue
      }
      // An optional installation stays apart: to agree to the others is not to agree to it.
      let packages = commands.flatMap(\.packages)
      let others = commands.filter { $0.packages.isEmpty }
      if !packages.isEmpty {
        drafts.add(packages: packages, finding, afterwards: others.isEmpty ? correction.afterwards : nil)
      }
      if !others.isEmpty {
        drafts.add(.root(others, afterwards: correction.afterwards), finding, needsPackages: !packages.isEmpty)
      }
    }
    steps = drafts.steps
  }
}

/// The steps while they are collected.
private struct Drafts {
  private struct Draft {
    var action: Correction.Action
    var findings: [Finding] = []
    var isOptional = true
    var needsPackages = true
    var afterwards: [String] = []
  }

  private var packages: [String] = []
  private var installation = Draft(action: .root([]), isOptional: false, needsPackages: false)
  private var others: [Draft] = []

  var steps: [SetupStep] {
    var drafts = others.filter { !$0.isOptional } + others.filter(\.isOptional)
    if !packages.isEmpty {
      var first = installation
      first.action = .root([.install(packages)])
      drafts.insert(first, at: 0)
    }
    return drafts.map { draft in
      SetupStep(
        action: draft.action, findings: draft.findings, isOptional: draft.isOptional,
        needsPackages: draft.needsPackages, afterwards: draft.afterwards)
    }
  }

  mutating func add(packages: [String], _ finding: Finding, afterwards: String?) {
    for package in packages where !self.packages.contains(package) { self.packages.append(package) }
    installation.findings.append(finding)
    Self.add(afterwards, to: &installation)
  }

  /// Two findings with the same commands have one step.
  mutating func add(_ correction: Correction, _ finding: Finding, needsPackages: Bool = false) {
    let index = others.firstIndex { $0.action == correction.action } ?? others.endIndex
    if index == others.endIndex { others.append(Draft(action: correction.action)) }
    others[index].findings.append(finding)
    others[index].isOptional = others[index].isOptional && correction.isOptional
    others[index].needsPackages = others[index].needsPackages && needsPackages
    Self.add(correction.afterwards, to: &others[index])
  }

  private static func add(_ afterwards: String?, to draft: inout Draft) {
    guard let afterwards, !draft.afterwards.contains(afterwards) else { return }
    draft.afterwards.append(afterwards)
  }
}

/// One thing that `tessera setup` asks about and does.
package struct SetupStep: Sendable, Equatable {
  package let action: Correction.Action
  /// What the step corrects.
  package let findings: [Finding]
  /// Whether only the user can tell if this machine needs it.
  package let isOptional: Bool
  /// Whether the step before it that installs packages must have succeeded.
  package let needsPackages: Bool
  /// What remains for the user to do after it.
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

  /// The commands for a run that nobody follows line by line. apt-get asks nothing: the user has agreed to the step
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
