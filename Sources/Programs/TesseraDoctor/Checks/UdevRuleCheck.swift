import Glibc

/// Checks that Tessera's udev rules are installed. Missing rules are information only: the checks of the devices report
/// a device that cannot be opened without them.
struct UdevRuleCheck: DiagnosticCheck {
  let title = "udev rules"

  func findings() async -> [Finding] {
    RuleFile.allCases.map { rules in
      switch rules.state {
      case .installed(let path): ok("rules.\(rules)", "\(path) is installed.")
      case .different(let path):
        information(
          "rules.\(rules)", "\(path) differs from the file of this version of Tessera.",
          remedy: "Install the file of this version, unless the difference is intended.",
          command: RootCommand.line(rules.installation), correction: installation(of: rules, isOptional: true))
      case .missing:
        information(
          "rules.\(rules)",
          "\(rules.fileName) is not installed. It gives users with a local session access to \(rules.devices).",
          remedy: "Install it before you connect such a device.", command: RootCommand.line(rules.installation),
          correction: installation(of: rules, isOptional: false))
      }
    }
  }

  /// nil without udev, as in a container.
  private func installation(of rules: RuleFile, isOptional: Bool) -> Correction? {
    access("/run/udev/control", F_OK) == 0 ? .root(rules.installation, isOptional: isOptional) : nil
  }
}
