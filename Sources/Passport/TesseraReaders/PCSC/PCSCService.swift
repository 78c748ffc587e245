import FoundationEssentials
import Glibc

/// Whom the PC/SC daemon of this system asks about a user.
package enum PCSCService {
  case asksPolkit
  /// It asks polkit, which cannot be reached without a system bus.
  case lacksPolkit
  /// It was built without polkit, as Debian 12's.
  case asksNobody

  static var current: PCSCService {
    guard hasPolkit else { return .asksNobody }
    return LocalSocket.connect(bus) == .connected ? .asksPolkit : .lacksPolkit
  }

  /// Whether the policy file of a pcscd with polkit support is installed (pcsc-lite's README.polkit).
  package static var hasPolkit: Bool {
    FileManager.default.fileExists(atPath: "/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy")
  }

  /// The socket path that libpcsclite uses.
  package static let socket = ProcessInfo.processInfo.environment["PCSCLITE_CSOCK_NAME"] ?? "/run/pcscd/pcscd.comm"

  private static let bus = "/run/dbus/system_bus_socket"
}
