internal import CTesseraSystemd
import FoundationEssentials
import Glibc

/// The user who runs the program.
package enum Account {
  static let identifier = getuid()

  /// The login name, or the user ID if there is none.
  static let name = record.name
  package static let isRoot = identifier == 0

  /// The account that became root by sudo(8); nil if that is root itself, or if this is not root.
  package static let invoker: String? = {
    guard isRoot, let name = ProcessInfo.processInfo.environment["SUDO_USER"], !name.isEmpty, name != "root" else {
      return nil
    }
    return name
  }()

  private static let record: (name: String, group: gid_t) = {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    guard getpwuid_r(identifier, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
    else { return ("\(identifier)", getgid()) }
    return (String(cString: name), entry.pw_gid)
  }()

  /// Whether the user database lists the user in the group. The groups of this session may differ.
  static func isListed(in group: gid_t) -> Bool {
    var groups = [gid_t](repeating: 0, count: 1024)
    var count = Int32(groups.count)
    guard getgrouplist(name, record.group, &groups, &count) >= 0 else { return false }
    return groups.prefix(Int(count)).contains(group)
  }

  /// The name of a group; nil if it has none.
  static func groupName(_ identifier: gid_t) -> String? {
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    guard getgrgid_r(identifier, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.gr_name
    else { return nil }
    return String(cString: name)
  }
}

/// The session of this user at the screen and keyboard of this machine.
enum LocalSession {
  /// Whether the user has an active one. logind then permits the cameras and the fingerprint reader; over ssh, in a
  /// container or on another console it does not, which is no defect of the system. Also false without logind.
  ///
  /// Source: sd_uid_get_seats(3).
  static var isActive: Bool { sd_uid_get_seats(getuid(), 1, nil) > 0 }

  /// What to do without one.
  static let remedy = "Run this in the session at the screen of this machine if you want to use the device there."
}
