import FleetLab
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
  private let certificate: LabCertificate?

  /// In continuous integration a missing server is a failure, elsewhere the tests are skipped.
  static let isEnabled = serverProgram != nil || ProcessInfo.processInfo.environment["CI"] == "true"

  private static let serverProgram = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { $0 + "/nats-server" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Configures, starts and prepares the server.
  ///
  /// - Parameters:
  ///   - isTracing: whether the server logs each message.
  ///   - certificate: what the server proves itself with; nil for no TLS.
  init(
    desks: String = "lobby,bar", inspectors: String = "2", isTracing: Bool = false, certificate: LabCertificate? = nil
  ) async throws {
    let folder = try TemporaryFolder()
    let port = try ReservedPort()
    let configured = try await Self.run(
      [
        "fleet", "configure", "--desks", desks, "--inspectors", inspectors, "--out", folder.file("fleet"), "--server",
        "nats=127.0.0.1:\(port.number)",
      ]
        + (certificate.map {
          ["--tls-certificate", $0.file, "--tls-key", $0.keyFile, "--tls-ca", $0.file]
        } ?? []), folder)
    guard configured.status == 0, let program = Self.serverProgram else {
      throw Failure(.serviceUnavailable, "fleet configure: \(configured.errors)")
    }
    server = try RunningProgram(
      URL(fileURLWithPath: program), ["-c", folder.file("fleet/nats.conf")] + (isTracing ? ["-V"] : []))
    (self.folder, self.port, self.certificate) = (folder, port, certificate)
    guard await server.wait(until: { $0.errors.contains("Server is ready") || !$0.isRunning }), server.isRunning else {
      throw Failure(.serviceUnavailable, "nats-server: \(server.errors)")
    }
    let prepared = try await tessera(["fleet", "prepare"] + administrator)
    guard prepared.status == 0 else { throw Failure(.serviceUnavailable, "fleet prepare: \(prepared.errors)") }
  }

  deinit { server.send(signal: SIGKILL) }

  var address: String { certificate == nil ? "nats://127.0.0.1:\(port.number)" : "tls://localhost:\(port.number)" }

  // MARK: - Who somebody is

  func seed(_ name: String) -> String { folder.file("fleet/\(name).nk") }

  func arguments(seed name: String) -> [String] {
    ["--fleet", address, "--fleet-seed", seed(name)] + (certificate.map { ["--fleet-ca", $0.file] } ?? [])
  }

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

  func tessera(_ arguments: [String]) async throws -> ProgramRun {
    try await ProgramRun.tessera(
      Self.patient(arguments), environment: Self.environment(folder), timeout: Self.longestRead)
  }

  func start(_ arguments: [String]) throws -> RunningProgram {
    try RunningProgram(ProgramRun.tessera, Self.patient(arguments), environment: Self.environment(folder))
  }

  /// In seconds.
  private static let longestRead = 1200.0

  /// A read has more time than on a usual machine, unless a test is about it.
  private static func patient(_ arguments: [String]) -> [String] {
    guard arguments.starts(with: ["fleet", "read"]), !arguments.contains("--within") else { return arguments }
    return arguments + ["--within", "\(Int(longestRead))"]
  }

  /// Starts an inspector and waits until desks can reach it.
  func inspector(_ name: String, _ arguments: [String] = ["--virtual"]) async throws -> RunningProgram {
    let inspector = try start(["inspect"] + self.arguments(seed: "inspector-\(name)") + arguments)
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
