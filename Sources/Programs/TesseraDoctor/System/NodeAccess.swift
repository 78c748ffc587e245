import Glibc
import TesseraUdev

/// The reason why this user cannot open a device that a user with a local session should be able to open, and the
/// correction.
struct NodeAccess {
  let cause: String
  let remedy: String
  /// The correction as one line for a shell.
  let command: String
  /// The same for `tessera setup`; nil if that cannot help.
  let correction: Correction?

  /// Returns nil if the device can be opened or has no node.
  ///
  /// - Parameters:
  ///   - mode: the access that is needed: `R_OK`, `W_OK` or both.
  ///   - rules: Tessera's rules for such a device; nil if the distribution's rules are enough, and a group has access.
  init?(_ device: UdevDevice, mode: Int32, rules: RuleFile?) {
    guard let node = device.node, access(node, mode) != 0, errno == EACCES || errno == EPERM else { return nil }
    let step: Correction
    var canHelp = true
    if device.tags.contains("uaccess") {
      cause = "This user has no permission to open \(node). Only users with an active local session have."
      remedy =
        "Log in locally, or grant this user access until the device is disconnected or another user logs in locally."
      let tool: [RootCommand] = access("/usr/bin/setfacl", X_OK) == 0 ? [] : [.install(["acl"])]
      step = .root(tool + [.run("setfacl -m \(Shell.word("u:\(Account.name):rw")) \(Shell.word(node))")])
    } else if let rules {
      switch rules.state {
      case .installed:
        cause = "This user has no permission to open \(node): udev has not applied Tessera's rules to it."
        remedy = "Reload the udev rules, and apply them to connected devices."
        step = .root(rules.application)
      case .different(let path):
        cause = "This user has no permission to open \(node): \(path) differs from the rules of this version."
        remedy = "Install the rules of this version, unless the difference is intended."
        step = .root(rules.installation, isOptional: true)
      case .missing:
        cause = "This user has no permission to open \(node): Tessera's udev rules are not installed."
        remedy = "Install the rules. They grant access to users with a local session only."
        step = .root(rules.installation)
      }
    } else {
      var status = stat()
      let group = stat(node, &status) == 0 ? Account.groupName(status.st_gid) ?? "video" : "video"
      // root needs no group, and a member has to log in again only.
      canHelp = !Account.isRoot && !Account.isListed(in: status.st_gid)
      cause = "This user has no permission to open \(node); only the group \(group) has it."
      remedy = "Log in at this computer's own screen, or add this user to the group and log in again."
      step = .root(
        [.run("usermod -aG \(Shell.word(group)) \(Shell.word(Account.name))")],
        afterwards: Correction.newLogin)
    }
    command = step.line
    correction = canHelp ? step : nil
  }
}
