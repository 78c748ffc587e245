import FoundationEssentials
import Glibc

/// A system daemon and how it is started: by systemd units or by an init script (service(8)).
struct SystemDaemon {
  /// The name of the init script.
  let name: String
  /// The systemd units, the socket before the service.
  let units: [String]

  static let pcscd = SystemDaemon(name: "pcscd", units: ["pcscd.socket", "pcscd.service"])
  /// The system bus.
  static let bus = SystemDaemon(name: "dbus", units: ["dbus.socket", "dbus.service"])
  /// fprintd has no init script; the system bus starts it.
  static let fprintd = SystemDaemon(name: "dbus", units: ["fprintd.service"])
  /// polkit has no init script; the system bus starts it.
  static let polkit = SystemDaemon(name: "dbus", units: ["polkit.service"])

  /// Whether systemd is the running init system (sd_booted(3)).
  static let hasSystemd = access("/run/systemd/system", F_OK) == 0

  /// The masked units, which systemd does not start.
  var maskedUnits: [String] { Self.hasSystemd ? masked(in: Self.lasting) + masked(in: Self.volatile) : [] }

  /// The commands that enable and start it.
  var start: [RootCommand] {
    Self.hasSystemd
      ? unmasking + [.run("systemctl enable --now \(units[0])")] : [.run("service \(name) start")]
  }

  /// The commands that start it, after its package was installed if its init script is missing.
  var startInstalled: [RootCommand] {
    access("/etc/init.d/\(name)", F_OK) == 0 ? start : [.install([name])] + start
  }

  var restart: [RootCommand] {
    Self.hasSystemd
      ? unmasking + [.run("systemctl restart \(units.joined(separator: " "))")] : [.run("service \(name) restart")]
  }

  private static let lasting = "/etc/systemd/system"
  private static let volatile = "/run/systemd/system"

  private var unmasking: [RootCommand] {
    [(masked(in: Self.lasting), ""), (masked(in: Self.volatile), "--runtime ")].filter { !$0.0.isEmpty }.map {
      .run("systemctl unmask \($0.1)\($0.0.joined(separator: " "))")
    }
  }

  /// A unit is masked by an empty file of its name, usually a link to /dev/null (systemd.unit(5)).
  private func masked(in folder: String) -> [String] {
    units.filter { unit in
      let path = "\(folder)/\(unit)"
      if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == "/dev/null" { return true }
      var status = stat()
      return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }
  }
}
