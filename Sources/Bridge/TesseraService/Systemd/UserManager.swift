import FoundationEssentials
import Glibc

/// Whether systemd can start the units of this user, and what helps when no service responds.
package enum UserManager: Sendable, Equatable {
  /// It runs, and its units are in these states, for example `active` or `failed`; empty if it does not know them.
  case running(socket: String, service: String)
  /// It runs, and nothing tells this process where; this is its runtime directory.
  case notReached(folder: String)
  /// systemd runs on this machine, and not for this user, as after `su` or without a login.
  case notRunning
  /// systemd does not run on this machine, as in most containers.
  case noSystemd

  /// Asks the manager. Blocks.
  package init(_ units: UnitFolder, _ environment: [String: String]) {
    if let answer = units.manager(["is-active", ServiceUnits.socketName, ServiceUnits.serviceName]) {
      let words = answer.output.split(separator: "\n").map(String.init)
      self = words.count == 2 ? .running(socket: words[0], service: words[1]) : .running(socket: "", service: "")
    } else if access("/run/systemd/system", F_OK) != 0 {
      self = .noSystemd
    } else if case let folder = "/run/user/\(getuid())", environment["XDG_RUNTIME_DIR"] != folder,
      access("\(folder)/systemd/private", F_OK) == 0
    {
      self = .notReached(folder: folder)
    } else {
      self = .notRunning
    }
  }

  /// What it is, for `tessera service status`; nil if nothing is known.
  package var state: String? {
    switch self {
    case .running("", _): nil
    case .running(let socket, let service): "socket \(socket), service \(service)"
    case .notReached: "not reached"
    case .notRunning: "does not run for this user"
    case .noSystemd: "does not run on this machine"
    }
  }

  /// Why units that were written do not take effect now; nil if they do.
  package var obstacle: String? {
    switch self {
    case .running: nil
    case .notReached(let folder):
      "The systemd user manager was not reached. Set XDG_RUNTIME_DIR=\(folder), and run `tessera service install` again."
    case .notRunning: "The systemd user manager is not running. The units take effect at its next start."
    case .noSystemd: "systemd does not run on this machine, so the units have no effect. Run `tessera serve` instead."
    }
  }

  /// What helps when no service responds: sentences.
  ///
  /// - Parameters:
  ///   - isInstalled: whether there are units.
  ///   - user: the name of this user.
  package func remedy(isInstalled: Bool, user: String) -> String {
    switch self {
    case .running("active", _) where isInstalled:
      "Run: systemctl --user status \(ServiceUnits.serviceName)"
    case .running("failed", _) where isInstalled:
      "Run: systemctl --user status \(ServiceUnits.socketName) \(ServiceUnits.serviceName)"
    case .running where isInstalled: "Run: systemctl --user enable --now \(ServiceUnits.socketName)"
    case .running: "Run `tessera serve`, or `tessera service install` to set up systemd."
    case .notReached(let folder): "Set XDG_RUNTIME_DIR=\(folder), and run this command again."
    case .notRunning:
      "Log in as \(user), which starts systemd for this user, or run `sudo loginctl enable-linger \(user)`"
        + (isInstalled ? "." : "; then run `tessera service install`.") + " Without systemd, run `tessera serve`."
    case .noSystemd: "Run `tessera serve`: without systemd, units have no effect."
    }
  }

  /// What helps a user without a runtime directory, where the standard socket would be: sentences.
  package func folderRemedy(user: String) -> String {
    let other =
      "Set XDG_RUNTIME_DIR to a folder of this user, here and for `tessera serve`. A service elsewhere (`tessera serve "
      + "--socket PATH`) is asked by `tessera call --socket PATH lifecycle.getConfig`."
    return self == .notRunning ? "Log in as \(user), or run `sudo loginctl enable-linger \(user)`. \(other)" : other
  }
}
