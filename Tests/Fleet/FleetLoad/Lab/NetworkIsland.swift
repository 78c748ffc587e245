import FleetLab
import FoundationEssentials
import TesseraCore
import TestSupport

/// A network namespace with one link to the rest of the lab, which can be taken down and up.
///
/// The lab's own network is private already: `Tests/Fleet/FleetLoad/run` starts it in a namespace.
final class NetworkIsland: Sendable {
  /// Where the lab's servers listen: an address of the lab that stays while the link is down.
  static let serverAddress = "10.77.1.1"
  private static let link = "island0"

  private let holder: LoadProcess

  init() async throws {
    let own = try Self.namespace(of: "self")
    holder = LoadProcess("island", LoadCommand("/usr/bin/unshare", ["--net", "--", "/bin/sleep", "infinity"])) {
      program in
      (try? Self.namespace(of: "\(program.processIdentifier)")).map { $0 != own } ?? false
    }
    try await holder.start()
    guard let process = holder.identifier else { throw Failure(.serviceUnavailable, "The namespace has ended.") }
    try await Self.ip("address add \(Self.serverAddress)/32 dev lo")
    try await Self.ip("link add \(Self.link) type veth peer name island1")
    try await Self.ip("link set island1 netns \(process)")
    try await Self.ip("address add 10.77.0.1/30 dev \(Self.link)")
    try await Self.ip("link set \(Self.link) up")
    for command in [
      "link set lo up", "address add 10.77.0.2/30 dev island1", "link set island1 up",
      "route add \(Self.serverAddress)/32 via 10.77.0.1",
    ] {
      try await Self.run(
        "/usr/bin/nsenter", ["--target", "\(process)", "--net", "--", "/usr/sbin/ip"] + words(command))
    }
  }

  /// A command that runs another one on the island. The process stays the same.
  func command(_ command: LoadCommand) -> LoadCommand {
    LoadCommand(
      "/usr/bin/nsenter",
      ["--target", "\(holder.identifier ?? 0)", "--net", "--", command.program] + command.arguments)
  }

  func set(linkUp isUp: Bool) async throws { try await Self.ip("link set \(Self.link) \(isUp ? "up" : "down")") }

  func stop() async { await holder.kill() }

  private static func namespace(of process: String) throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/net")
  }

  private static func ip(_ command: String) async throws { try await run("/usr/sbin/ip", words(command)) }

  private static func run(_ program: String, _ arguments: [String]) async throws {
    let run = try await RunningProgram(URL(fileURLWithPath: program), arguments).finish(within: 60)
    guard run.status == 0 else {
      throw Failure(.serviceUnavailable, "\(arguments.joined(separator: " ")): \(run.errors)")
    }
  }
}

/// The words of a command.
private func words(_ command: String) -> [String] { command.split(separator: " ").map(String.init) }
