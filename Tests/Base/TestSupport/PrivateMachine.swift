import Foundation
import TesseraCore

/// A private mount namespace of this machine, in which files can be hidden or replaced and daemons started. Programs
/// there get a minimal environment.
public final class PrivateMachine: Sendable {
  public let folder: TemporaryFolder
  private let holder: RunningProgram
  private let namespaces: [String]

  /// The reason why the lab cannot run here; nil if it can.
  public static let unavailableReason: String? = {
    if getuid() != 0 { return "the private namespaces need root" }
    for file in ["/usr/bin/unshare", "/usr/bin/nsenter", "/usr/bin/setpriv", "/usr/sbin/ip"]
    where !FileManager.default.fileExists(atPath: file) {
      return "\(file) is missing: apt-get install util-linux iproute2"
    }
    return SmartCardLab.unavailableReason
  }()

  /// Whether tests with this lab run. In continuous integration a missing service is a failure, elsewhere the tests are
  /// skipped.
  public static let isEnabled = unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  /// - Parameter seesDaemons: False for an empty `/run` and a private network, so that the machine's daemons and udev's
  ///   messages are not visible.
  public init(seesDaemons: Bool = false) async throws {
    if let unavailableReason = Self.unavailableReason { throw Failure(.serviceUnavailable, unavailableReason) }
    let folder = try TemporaryFolder()
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
    // The printed commands run as root already.
    try Self.write("#!/bin/sh\nexec \"$@\"\n", to: folder.file("bin/sudo"))
    // Every user must be able to read the programs, whatever the permissions of the working copy are.
    for name in ["tessera", "tessera-service"] {
      try Data().write(to: URL(fileURLWithPath: folder.file("bin/\(name)")))
    }
    chmod(folder.url.path, 0o755)
    let apart = "ip link set lo up && mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/pcscd"
    let script = """
      for name in tessera tessera-service; do mount --bind "$0/$name" "$1/bin/$name" || exit; done
      \(seesDaemons ? "true" : apart) && echo ready && exec sleep infinity
      """
    namespaces = seesDaemons ? ["--mount"] : ["--mount", "--net"]
    holder = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/unshare"),
      namespaces + [
        "--", "/bin/sh", "-c", script, ProgramRun.tessera.deletingLastPathComponent().path, folder.url.path,
      ])
    let holder = holder
    _ = await holder.wait { $0.output.contains("ready") || !$0.isRunning }
    guard holder.isRunning else {
      throw Failure(.serviceUnavailable, "the namespaces could not be created: \(holder.errors)")
    }
  }

  deinit { stop() }

  /// Ends the namespace and every program in it.
  public func stop() { holder.send(signal: SIGKILL) }

  /// Installs a program that takes precedence over the machine's.
  public func install(_ name: String, _ script: String) throws {
    try Self.write(script, to: folder.file("bin/\(name)"))
  }

  /// Starts a shell command in the background, as root.
  public func start(_ command: String, environment: [String: String] = [:]) throws -> RunningProgram {
    let variables = ["PATH": "\(folder.file("bin")):/usr/sbin:/usr/bin:/sbin:/bin", "LAB": folder.url.path]
      .merging(environment) { _, new in new }
    return try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/nsenter"),
      ["--target", "\(holder.processIdentifier)"] + namespaces + ["--wdns=/", "--", "/usr/bin/env", "-i"]
        + variables.map { "\($0)=\($1)" } + ["/bin/sh", "-c", command])
  }

  /// Runs a shell command to its end.
  public func run(
    _ command: String, environment: [String: String] = [:], timeout: Double = 300
  ) async throws -> ProgramRun { try await start(command, environment: environment).finish(within: timeout) }

  /// Runs a shell command; a status other than 0 is an error.
  public func prepare(_ command: String, environment: [String: String] = [:]) async throws {
    let run = try await run(command, environment: environment)
    guard run.status == 0 else { throw Failure(.serviceUnavailable, "\(command): \(run.errors)\(run.output)") }
  }

  /// Waits until a file exists, for example the socket of a daemon.
  public func waitForFile(_ path: String, looks: Int = 5000) async throws {
    try await prepare("for i in $(seq \(looks)); do test -e \(path) && exit; sleep 0.02; done; echo missing; exit 1")
  }

  /// Runs `tessera` there.
  ///
  /// - Parameter isNobody: As the user `nobody`, without groups and privileges.
  public func tessera(
    _ arguments: [String], isNobody: Bool = false, environment: [String: String] = [:], timeout: Double = 300
  ) async throws -> ProgramRun {
    let nobody = "setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs -- "
    return try await run(
      "exec \(isNobody ? nobody : "")\(folder.file("bin/tessera")) \(arguments.joined(separator: " "))",
      environment: environment, timeout: timeout)
  }

  private static func write(_ script: String, to path: String) throws {
    try script.write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o755)
  }
}
