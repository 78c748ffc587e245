import Foundation
import Udev

/// Why this user may not open a device that a seat's user should be able to, and what mends it.
struct NodeAccess {
  let cause: String
  let remedy: String
  let command: String

  /// - Parameter mode: what is needed, of `R_OK` and `W_OK`.
  /// - Returns: nil where the device can be opened, or has no node (any more).
  init?(_ device: UdevDevice, mode: Int32, rules: RuleFile) {
    guard let node = device.node, access(node, mode) != 0, errno == EACCES || errno == EPERM else { return nil }
    if device.tags.contains("uaccess") {
      cause = "This user may not open \(node): it belongs to who is logged in at the machine itself."
      remedy =
        "Log in at the machine, or let this user in until the device is unplugged or somebody logs in there."
      let tool: [RootCommand] = access("/usr/bin/setfacl", X_OK) == 0 ? [] : [.run("apt-get install -y acl")]
      command = RootCommand.line(
        tool + [.run("setfacl -m \(Shell.word("u:\(Account.name):rw")) \(Shell.word(node))")])
    } else if case .installed = rules.state {
      cause = "This user may not open \(node): udev has not applied Tessera's rules to it."
      remedy = "Let udev read its rules again, and apply them to what is plugged in."
      command = RootCommand.line(rules.application)
    } else {
      cause = "This user may not open \(node): Tessera's udev rules are not installed."
      remedy = "Install the rules, which let in the user who is logged in at the machine and nobody else."
      command = rules.installation
    }
  }
}
