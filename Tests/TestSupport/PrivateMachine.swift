import Failures
import Foundation

/// This machine with changes that nobody else sees: a mount namespace of the test's own, in which files can be hidden
/// or replaced and daemons started. What runs there is told the least possible of the environment.
public final class PrivateMachine: Sendable {
  public let folder: TemporaryFolder
  private let holder: RunningProgram
  private let namespaces: [String]

  /// Why there can be none here; nil where there can.
  public static let obstacle: String? = {
    if getuid() != 0 { return "a machine of the test's own needs root, for its namespaces" }
    for file in ["/usr/bin/unshare", "/usr/bin/nsenter", "/usr/bin/setpriv", "/usr/sbin/ip"]
    where !FileManager.default.fileExists(atPath: file) {
      return "\(file) is missing: apt-get install util-linux iproute2"
    }
    return SmartCardLab.obstacle
  }()

  /// In continuous integration a missing stack is a failure, elsewhere a reason to skip.
  public static let isWanted = obstacle == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  /// - Parameter seesDaemons: false for an empty `/run` and a network of its own, so that no daemon of the machine is
  ///   seen, and none of udev's messages.
  public init(seesDaemons: Bool = false) async throws {
    if let obstacle = Self.obstacle { throw Failure(.serviceUnavailable, obstacle) }
    let folder = try TemporaryFolder()
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
    // Who runs the printed commands is root already.
    try Self.write("#!/bin/sh\nexec \"$@\"\n", to: folder.file("bin/sudo"))
    // The program lies where every user can read it, whatever the folder of the working copy allows.
    try Data().write(to: URL(fileURLWithPath: folder.file("bin/tessera")))
    chmod(folder.url.path, 0o755)
    let apart = "ip link set lo up && mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/pcscd"
    let script = """
      mount --bind "$0" "$1/bin/tessera" && \(seesDaemons ? "true" : apart) && echo ready && exec sleep infinity
      """
    namespaces = seesDaemons ? ["--mount"] : ["--mount", "--net"]
    holder = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/unshare"),
      namespaces + ["--", "/bin/sh", "-c", script, ProgramRun.tessera.path, folder.url.path])
    let holder = holder
    _ = await holder.wait { $0.output.contains("ready") || !$0.isRunning }
    guard holder.isRunning else {
      throw Failure(.serviceUnavailable, "the namespaces could not be made: \(holder.errors)")
    }
  }

  deinit { stop() }

  /// Ends what has been started in it, too.
  public func stop() { holder.send(signal: SIGKILL) }

  /// A program of the test's own, found before the machine's.
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

  /// The same; what fails is an error.
  public func prepare(_ command: String, environment: [String: String] = [:]) async throws {
    let run = try await run(command, environment: environment)
    guard run.status == 0 else { throw Failure(.serviceUnavailable, "\(command): \(run.errors)\(run.output)") }
  }

  /// Waits until a file is there, as when a daemon has come up.
  public func waitForFile(_ path: String, looks: Int = 5000) async throws {
    try await prepare("for i in $(seq \(looks)); do test -e \(path) && exit; sleep 0.02; done; echo missing; exit 1")
  }

  /// Runs `tessera` there.
  ///
  /// - Parameter isNobody: as a user who has nothing and may nothing.
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
