import DBus
import Foundation
import Threads

/// The user's keyring, which opens the keys that web content has here: whether there is a session bus, and a service
/// on it that keeps secrets. It is not unlocked, and nothing is read from it.
struct SecretServiceExamination: Examination {
  let title = "Secret Service"
  /// For one call.
  private static let limit = Duration.seconds(2)

  private static let service = "org.freedesktop.secrets"
  private static let consequence = "keys that are opened by the keyring cannot be used"

  func findings() async -> [Finding] {
    // The bus's calls block.
    let thread = BlockingWork(name: "doctor-bus")
    do {
      return [try await thread.run { try finding(on: BusConnection.open(.session)) }]
    } catch BusError.noBus {
      return [withoutBus]
    } catch BusError.timedOut {
      return [silence]
    } catch BusError.disconnected {
      // That is how a bus refuses a user who is not its own.
      return [foreignBus]
    } catch BusError.system(_, let code) where code == EACCES || code == EPERM {
      return [foreignBus]
    } catch {
      let cause = (error as? BusError)?.failure.cause ?? "The session bus fails."
      return [problem("secrets.broken", cause, remedy: "Log out and in again.")]
    }
  }

  var silence: Finding {
    problem(
      "secrets.silent", "The keyring's service is on the session bus and does not answer: \(Self.consequence).",
      remedy: "End it; the bus starts it anew when it is needed.", command: "pkill -KILL -u \"$USER\" gnome-keyring-d")
  }

  private func finding(on bus: BusConnection) throws(BusError) -> Finding {
    guard try bus.owner(of: Self.service, within: Self.limit) != nil else {
      guard try bus.isActivatable(Self.service, within: Self.limit) else { return withoutService }
      return ok("secrets", "The session bus starts a keyring when one is needed.")
    }
    let alias = try bus.methodCall(
      to: Self.service, path: "/org/freedesktop/secrets", interface: "org.freedesktop.Secret.Service",
      method: "ReadAlias")
    try alias.append("default")
    let collection = try bus.call(alias, within: Self.limit).readObjectPath()
    guard collection != "/" else {
      return information("secrets", "The keyring runs and has no collection yet; the first secret makes one.")
    }
    let locked = try bus.methodCall(
      to: Self.service, path: collection, interface: "org.freedesktop.DBus.Properties", method: "Get")
    try locked.append("org.freedesktop.Secret.Collection")
    try locked.append("Locked")
    guard case .boolean(let isLocked) = try bus.call(locked, within: Self.limit).readVariant() else {
      throw .malformed("the property Locked")
    }
    return isLocked
      ? information("secrets.locked", "The keyring runs and is locked; it asks for its password when it is needed.")
      : ok("secrets", "The keyring runs and is unlocked.")
  }

  private var foreignBus: Finding {
    problem(
      "secrets.busAccess", "The session bus lets this user not in, as one of another user: \(Self.consequence).",
      remedy: "Log in as this user, or name the user's own bus instead of the one that was taken along (su, sudo -E).",
      command: "unset DBUS_SESSION_BUS_ADDRESS; export XDG_RUNTIME_DIR=/run/user/\(Account.identifier)")
  }

  private var withoutService: Finding {
    let daemon = "/usr/bin/gnome-keyring-daemon"
    let isInstalled = access(daemon, X_OK) == 0
    return problem(
      "secrets.noService", "Nothing on the session bus keeps secrets: \(Self.consequence).",
      remedy: isInstalled ? "Start the keyring that is installed." : "Install a keyring.",
      command: isInstalled
        ? "\(daemon) --start --components=secrets"
        : RootCommand.line([.run("apt-get install -y gnome-keyring libpam-gnome-keyring")]))
  }

  private var withoutBus: Finding {
    let folder = "/run/user/\(Account.identifier)"
    let cause = "This session has no message bus, so no keyring either: \(Self.consequence)."
    if LocalSocket.connect(folder + "/bus") == .connected {
      return problem(
        "secrets.noBus", cause, remedy: "Name the bus that this user has elsewhere.",
        command: "unset DBUS_SESSION_BUS_ADDRESS; export XDG_RUNTIME_DIR=\(folder)")
    }
    guard SystemDaemon.hasSystemd else {
      let isInstalled = access("/usr/bin/dbus-run-session", X_OK) == 0
      let tool = isInstalled ? "" : RootCommand.line([.run("apt-get install -y dbus-daemon")]) + " && "
      return problem(
        "secrets.noBus", cause, remedy: "Begin a shell that has a bus of its own.",
        command: tool + #"dbus-run-session -- "${SHELL:-/bin/sh}""#)
    }
    guard FileManager.default.fileExists(atPath: "/usr/lib/systemd/user/dbus.socket") else {
      return problem(
        "secrets.noBus", cause, remedy: "Install what starts one at every login, and log in again.",
        command: RootCommand.line([.run("apt-get install -y dbus-user-session gnome-keyring")]))
    }
    return problem(
      "secrets.noBus", cause, remedy: "Log in to a session of your own, or have one kept by systemd.",
      command: RootCommand.line([.run("loginctl enable-linger \(Shell.word(Account.name))")])
        + " && export XDG_RUNTIME_DIR=\(folder)")
  }
}
