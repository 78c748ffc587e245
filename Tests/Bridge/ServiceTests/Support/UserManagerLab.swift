import Foundation
import TesseraCore
import TestSupport

/// A real systemd user manager of an unprivileged user (nobody), in a separate mount namespace with empty `/run` and
/// `/home`. It has no session bus, since the keyring there would prompt for a password. Unlike a check of the unit
/// files, it tests that the sandbox can be set up and what it permits.
final class UserManagerLab: Sendable {
  static let home = "/home/lab"
  static let runtime = "/run/user/65534"
  private static let systemd = "/usr/lib/systemd/systemd"
  private static let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
  private static let environment = [
    "env", "-i", "HOME=\(home)", "XDG_RUNTIME_DIR=\(runtime)", "PATH=/usr/bin:/bin", "USER=nobody",
  ]
  private let manager: RunningProgram

  /// Why the lab cannot run on this machine; nil if it can.
  static let unavailableReason: String? = {
    if getuid() != 0 { return "a user manager for another user needs root" }
    if !FileManager.default.isExecutableFile(atPath: systemd) { return "systemd is missing" }
    if ProgramRun.isSanitized { return "a sanitizer's shadow memory does not fit into the sandbox" }
    let isAllowed = ProgramRun.succeeds(
      "/bin/sh", ["-c", "\(groups)[ -n \"$groups\" ] && rmdir $groups && unshare --mount mount -t tmpfs tmpfs /run"])
    return isAllowed ? nil : "control groups or mount namespaces are not allowed here"
  }()

  /// In continuous integration a missing dependency is a failure; elsewhere the tests are skipped.
  static let isEnabled =
    unavailableReason == nil || !ProgramRun.isSanitized && ProcessInfo.processInfo.environment["CI"] == "true"

  /// Creates a control group in each hierarchy that systemd uses. `$groups` contains their folders.
  private static let groups = """
    groups=
    for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
      [ -e $hierarchy/cgroup.procs ] || continue
      mkdir -p $hierarchy/tessera-lab-$$ && groups="$groups $hierarchy/tessera-lab-$$"
    done

    """

  /// - Parameter program: is copied to the user's home directory with `tessera-service`, since the sandbox hides `/tmp`.
  init(program: URL) async throws {
    if let reason = Self.unavailableReason { throw Failure(.serviceUnavailable, reason) }
    let begin = (Self.user + Self.environment + ["\"$SYSTEMD\"", "--user", "--log-target=console"]).joined(
      separator: " ")
    let script = """
      \(Self.groups)
      for group in $groups; do echo $$ > $group/cgroup.procs; chown -R 65534:65534 $group; done
      mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /home &&
      mkdir -p /run/systemd/system /run/systemd/unit-root \(Self.runtime) \(Self.home) &&
      mkdir -p \(Self.home)/.config/systemd/user && ln -s /dev/null \(Self.home)/.config/systemd/user/dbus.socket &&
      cp "$PROGRAM" "$PROGRAM-service" \(Self.home)/ && chown -R 65534:65534 \(Self.runtime) \(Self.home) &&
      chmod 700 \(Self.runtime) && exec \(begin)
      """
    manager = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/unshare"), ["--mount", "--", "/bin/sh", "-c", script],
      environment: ["SYSTEMD": Self.systemd, "PROGRAM": program.path])
    var hasBegun = false
    _ = try await isTrue(within: .seconds(180), every: .milliseconds(100)) {
      hasBegun = try await run(["systemctl", "--user", "is-system-running"]).output.hasPrefix("running")
      return hasBegun || !manager.isRunning
    }
    if hasBegun { return }
    await stop()
    throw Failure(.serviceUnavailable, "the user manager did not start: \(manager.errors)")
  }

  /// Runs a command as the user.
  func run(_ command: [String]) async throws -> ProgramRun {
    try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/nsenter"),
      ["--mount", "--target", "\(manager.processIdentifier)", "--"] + Self.user + Self.environment + command
    ).finish(within: 180)
  }

  func tessera(_ arguments: [String]) async throws -> ProgramRun { try await run(["\(Self.home)/tessera"] + arguments) }

  /// Runs a shell script as the user, within the sandbox of a process.
  func inside(_ process: Int, _ script: String) async throws -> ProgramRun {
    try await run(
      ["nsenter", "--user", "--mount", "--preserve-credentials", "--target", "\(process)", "sh", "-c", script])
  }

  func stop() async {
    manager.send(signal: SIGTERM)
    _ = await manager.finish(within: 120)
    for hierarchy in ["", "/systemd", "/unified"] {
      let group = "/sys/fs/cgroup\(hierarchy)/tessera-lab-\(manager.processIdentifier)"
      let inner = (try? FileManager.default.subpathsOfDirectory(atPath: group)) ?? []
      for folder in inner.sorted().reversed() { rmdir("\(group)/\(folder)") }
      rmdir(group)
    }
  }
}
