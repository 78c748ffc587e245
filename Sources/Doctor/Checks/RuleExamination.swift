/// Whether Tessera's udev rules are installed. Devices that cannot be opened for want of them are told by their own
/// examinations, so that this is never a problem by itself.
struct RuleExamination: Examination {
  let title = "udev rules"

  func findings() async -> [Finding] {
    RuleFile.allCases.map { rules in
      switch rules.state {
      case .installed(let path): ok("rules.\(rules)", "\(path) is installed.")
      case .different(let path):
        information(
          "rules.\(rules)", "\(path) is not the one that this version of Tessera brings.",
          remedy: "Install this version's, unless the difference is meant.", command: rules.installation)
      case .missing:
        information(
          "rules.\(rules)", "\(rules.fileName) is not installed; it lets in who is logged in at the machine.",
          remedy: "Install it before such a device is plugged in.", command: rules.installation)
      }
    }
  }
}
