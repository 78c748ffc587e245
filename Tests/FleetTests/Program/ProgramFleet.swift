import Foundation
import TesseraBridge
import TesseraCore
import TestSupport

/// A server with a configuration of `tessera fleet configure`, and the programs of a fleet around it. Nothing of this
/// user is used.
final class ProgramFleet: Sendable {
  let folder: TemporaryFolder
  private let port: ReservedPort
  let server: RunningProgram

  /// In continuous integration a missing server is a failure, elsewhere the tests are skipped.
  static let isEnabled = serverProgram != nil || ProcessInfo.processInfo.environment["CI"] == "true"

  private static let serverProgram = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { $0 + "/nats-server" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Configures, starts and prepares the server.
  ///
  /// - Parameter isTracing: whether the server logs each message.
  init(desks: String = "lobby,bar", workers: String = "2", isTracing: Bool = false) async throws {
    let folder = try TemporaryFolder()
    let port = try ReservedPort()
    let configured = try await Self.run(
      [
        "fleet", "configure", "--desks", desks, "--workers", workers, "--out", folder.file("fleet"), "--server",
        "nats=127.0.0.1:\(port.number)",
      ], folder)
    guard configured.status == 0, let program = Self.serverProgram else {
      throw Failure(.serviceUnavailable, "fleet configure: \(configured.errors)")
    }
    server = try RunningProgram(
      URL(fileURLWithPath: program), ["-c", folder.file("fleet/nats.conf")] + (isTracing ? ["-V"] : []))
    (self.folder, self.port) = (folder, port)
    guard await server.wait(until: { $0.errors.contains("Server is ready") || !$0.isRunning }), server.isRunning else {
      throw Failure(.serviceUnavailable, "nats-server: \(server.errors)")
    }
    let prepared = try await tessera(["fleet", "prepare"] + administrator)
    guard prepared.status == 0 else { throw Failure(.serviceUnavailable, "fleet prepare: \(prepared.errors)") }
  }

  deinit { server.send(signal: SIGKILL) }

  var address: String { "nats://127.0.0.1:\(port.number)" }

  // MARK: - Who somebody is

  func arguments(seed: String) -> [String] { ["--fleet", address, "--fleet-seed", folder.file("fleet/\(seed).nk")] }

  var administrator: [String] { arguments(seed: "admin") }

  func desk(_ name: String) -> [String] { arguments(seed: "desk-\(name)") }

  // MARK: - Programs

  private static func environment(_ folder: TemporaryFolder) -> [String: String] {
    [
      "HOME": folder.url.path, "XDG_DATA_HOME": folder.file("data"), "XDG_RUNTIME_DIR": folder.file("run"),
      "XDG_CONFIG_HOME": folder.file("config"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.file("none"))",
    ]
  }

  private static func run(_ arguments: [String], _ folder: TemporaryFolder) async throws -> ProgramRun {
    try await ProgramRun.tessera(arguments, environment: environment(folder), timeout: 300)
  }

  func tessera(_ arguments: [String]) async throws -> ProgramRun { try await Self.run(arguments, folder) }

  func start(_ arguments: [String]) throws -> RunningProgram {
    try RunningProgram(ProgramRun.tessera, arguments, environment: Self.environment(folder))
  }

  /// Starts an inspector and waits until desks can reach it.
  func inspector(_ name: String, _ arguments: [String] = ["--virtual"]) async throws -> RunningProgram {
    let inspector = try start(["inspect"] + self.arguments(seed: "worker-\(name)") + arguments)
    guard await inspector.wait(until: { $0.output.contains("ready ") || !$0.isRunning }), inspector.isRunning else {
      throw Failure(.serviceUnavailable, "inspect: \(inspector.errors)")
    }
    return inspector
  }

  /// The object of `fleet status --json`.
  func status() async throws -> JSONValue {
    let run = try await tessera(["fleet", "status", "--json"] + administrator)
    guard run.status == 0 else { throw Failure(.serviceUnavailable, "fleet status: \(run.errors)") }
    return try JSONValue(text: run.output)
  }
}
