import FoundationEssentials
import Glibc
import TesseraDBus
import TesseraReaders
import TesseraSecretService
import TesseraThreads

/// Checks the session bus and its Secret Service (the keyring), which stores the encryption keys of key files and of
/// the encrypted store. Neither unlocks the keyring nor reads from it.
struct SecretServiceCheck: DiagnosticCheck {
  let title = "Secret Service"
  /// The time limit of one call.
  private static let limit = Duration.seconds(2)

  private static let service = "org.freedesktop.secrets"
  private static let newSession = "Log out and in again, so that the keyring starts with the session."
  private static let consequence = "keys that the keyring protects cannot be used"

  func findings() async -> [Finding] {
    // Calls on the bus block.
    let thread = BlockingWork(name: "doctor-bus")
    do {
      let (finding, isRunning) = try await thread.run { try look() }
      return isRunning ? [finding] + (await transferFindings()) : [finding]
    } catch BusError.noBus {
      return [withoutBus]
    } catch BusError.timedOut {
      return [timeoutFinding]
    } catch BusError.disconnected {
      // A bus closes the connection of a user who does not own it.
      return [foreignBus]
    } catch BusError.system(_, let code) where code == EACCES || code == EPERM {
      return [foreignBus]
    } catch {
      let cause = (error as? BusError)?.failure.cause ?? "The session bus does not work."
      return [problem("secrets.broken", cause, remedy: "Log out and in again.")]
    }
  }

  /// How a keyring that runs receives secrets. A session with it asks the user for nothing.
  private func transferFindings() async -> [Finding] {
    do {
      guard let service = try await SecretService.connect(), try await !service.encryptsSecrets() else { return [] }
      return [
        information(
          "secrets.plain",
          "The keyring cannot encrypt secrets on the session bus. They do not leave this machine. "
            + "KWallet encrypts them with the package libqca-qt5-2-plugins.")
      ]
    } catch {
      let cause = (error as? SecretServiceError)?.failure.cause ?? "The keyring begins no session."
      return [problem("secrets.session", cause, remedy: "Restart the service of the keyring.")]
    }
  }

  var timeoutFinding: Finding {
    problem(
      "secrets.silent", "The Secret Service on the session bus does not respond: \(Self.consequence).",
      remedy: "Terminate it; the session bus restarts it on demand.",
      command: "pkill -KILL -u \"$USER\" gnome-keyring-d")
  }

  private func look() throws(BusError) -> (finding: Finding, isRunning: Bool) {
    let bus = try BusConnection.open(.session)
    return (try finding(on: bus), try bus.owner(of: Self.service, within: Self.limit) != nil)
  }

  private func finding(on bus: BusConnection) throws(BusError) -> Finding {
    guard try bus.owner(of: Self.service, within: Self.limit) != nil else {
      guard try bus.isActivatable(Self.service, within: Self.limit) else { return withoutService }
      return ok("secrets", "The session bus starts a keyring on demand.")
    }
    let alias = try bus.methodCall(
      to: Self.service, path: "/org/freedesktop/secrets", interface: "org.freedesktop.Secret.Service",
      method: "ReadAlias")
    try alias.append("default")
    let collection = try bus.call(alias, within: Self.limit).readObjectPath()
    guard collection != "/" else {
      return information(
        "secrets", "The keyring is running and has no collection yet. The first secret creates one.",
        remedy: "Its window asks for a password. Without a desktop use `tessera key generate --passphrase`.")
    }
    let locked = try bus.methodCall(
      to: Self.service, path: collection, interface: "org.freedesktop.DBus.Properties", method: "Get")
    try locked.append("org.freedesktop.Secret.Collection")
    try locked.append("Locked")
    guard case .boolean(let isLocked) = try bus.call(locked, within: Self.limit).readVariant() else {
      throw .malformed("the property Locked")
    }
    return isLocked
      ? information("secrets.locked", "The keyring is running and locked. It prompts for its password on first use.")
      : ok("secrets", "The keyring is running and unlocked.")
  }

  private var foreignBus: Finding {
    problem(
      "secrets.busAccess", "The session bus belongs to another user: \(Self.consequence).",
      remedy: "Log in as this user, or replace the bus address inherited through su or sudo -E with that of this user.",
      command: "unset DBUS_SESSION_BUS_ADDRESS; export XDG_RUNTIME_DIR=/run/user/\(Account.identifier)")
  }

  private var withoutService: Finding {
    let daemon = "/usr/bin/gnome-keyring-daemon"
    let isInstalled = access(daemon, X_OK) == 0
    let correction: Correction =
      isInstalled
      ? .user("\(daemon) --start --components=secrets")
      : .root([.install(["gnome-keyring", "libpam-gnome-keyring"])], afterwards: Self.newSession)
    return problem(
      "secrets.noService", "The session bus has no Secret Service: \(Self.consequence).",
      remedy: isInstalled ? "Start the installed keyring." : "Install a keyring.",
      command: correction.line,
      // A keyring of root does not help the account that has called it.
      correction: Account.isRoot ? nil : correction)
  }

  private var withoutBus: Finding {
    let folder = "/run/user/\(Account.identifier)"
    let cause = "This session has no message bus and therefore no keyring: \(Self.consequence)."
    if LocalSocket.connect(folder + "/bus") == .connected {
      return problem(
        "secrets.noBus", cause, remedy: "Use the message bus of this user's other session.",
        command: "unset DBUS_SESSION_BUS_ADDRESS; export XDG_RUNTIME_DIR=\(folder)")
    }
    guard SystemDaemon.hasSystemd else {
      let isInstalled = access("/usr/bin/dbus-run-session", X_OK) == 0
      let tool = isInstalled ? "" : RootCommand.line([.install(["dbus-daemon"])]) + " && "
      return problem(
        "secrets.noBus", cause, remedy: "Start a shell with its own message bus.",
        command: tool + #"dbus-run-session -- "${SHELL:-/bin/sh}""#)
    }
    guard FileManager.default.fileExists(atPath: "/usr/lib/systemd/user/dbus.socket") else {
      return problem(
        "secrets.noBus", cause, remedy: "Install a message bus that starts at login, and log in again.",
        correction: .root([.install(["dbus-user-session", "gnome-keyring"])], afterwards: Self.newSession))
    }
    return problem(
      "secrets.noBus", cause, remedy: "Log in directly as this user, or enable lingering in systemd.",
      command: RootCommand.line([.run("loginctl enable-linger \(Shell.word(Account.name))")])
        + " && export XDG_RUNTIME_DIR=\(folder)")
  }
}
