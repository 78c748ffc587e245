import Foundation
import TesseraCore
import TesseraFleet
import TestSupport
import Testing

extension RealPrograms {
  /// What protects a desk, and what it says of itself.
  @Suite("The programs of a desk", .enabled(if: ProgramFleet.isEnabled, "nats-server is not installed"))
  struct ProgramDeskTests {
    // MARK: - Time

    @Test("--within ends a read whose inspector does not answer", arguments: ["witnessed", "remote"])
    func within(_ mode: String) async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i1")
      defer { inspector.send(signal: SIGKILL) }
      // It takes the read and says nothing more.
      inspector.send(signal: SIGSTOP)
      let run = try await fleet.tessera(
        ["fleet", "read", "--virtual", "--within", "1", "--fleet-reading", mode] + fleet.desk("lobby"))
      #expect(run.status == 3 && run.output.isEmpty)
      #expect(run.errors.contains("The read did not end in time."), "\(run.errors)")
    }

    // MARK: - Encryption

    static let commands = [
      ["inspect", "--inspector", "i1"], ["fleet", "read", "--virtual", "--desk", "d1"], ["fleet", "status"],
      ["fleet", "prepare"], ["serve", "--virtual", "--desk", "d1"], ["trust", "import", "x.ml"],
    ]

    @Test("each command refuses a server on the network without TLS, with what to do", arguments: commands)
    func unencrypted(_ command: [String]) async throws {
      for place in ["nats://10.0.0.1", "tls://127.0.0.1,nats://fleet.invalid:4333", "nats://[::2]:4222"] {
        let run = try await ProgramRun.tessera(command + ["--fleet", place])
        #expect(run.status == 2 && run.output.isEmpty, "\(place): \(run.errors)")
        #expect(
          run.errors.contains("over the network without TLS. Use tls:// with --fleet-ca, or accept with --unencrypted"),
          "\(run.errors)")
      }
    }

    @Test(
      "servers of this machine, and those that --unencrypted permits, are connected",
      arguments: [
        ["nats://127.0.0.1:1"], ["nats://localhost:1"], ["nats://[::1]:1"],
        ["nats://fleet.invalid:1", "--unencrypted"],
      ])
    func permitted(_ place: [String]) async throws {
      let run = try await ProgramRun.tessera(["fleet", "status", "--fleet"] + place)
      #expect(run.status == 3 && run.errors.contains("No NATS server answers."), "\(place): \(run.errors)")
    }

    @Test("--unencrypted without --fleet is an error")
    func pointless() async throws {
      let run = try await ProgramRun.tessera(["serve", "--unencrypted"])
      #expect(run.status == 2 && run.errors.contains("require --fleet"), "\(run.errors)")
    }

    @Test("a desk in Swift refuses a server on the network without TLS, unless it is permitted")
    func swiftDesk() async throws {
      let name = try #require(DeskName("d1"))
      var servers = FleetServers(["nats://fleet.invalid:1"])
      let refusal = await #expect(throws: Failure.self) { try await FleetDesk.connect(to: servers, as: name) }
      #expect(refusal?.kind == .usage && refusal?.remedy?.contains("allowsUnencryptedNetwork") == true)
      servers.allowsUnencryptedNetwork = true
      let error = await #expect(throws: (any Error).self) { try await FleetDesk.connect(to: servers, as: name) }
      #expect(
        error is any FailureConvertible && (error as? any FailureConvertible)?.failure.kind == .serviceUnavailable)
    }

    @Test("what `configure` prints for a network without TLS can be run")
    func configured() async throws {
      let folder = try TemporaryFolder()
      let run = try await ProgramRun.tessera([
        "fleet", "configure", "--desks", "1", "--inspectors", "1", "--out", folder.file("fleet"), "--server",
        "n1=10.0.0.1", "--unencrypted",
      ])
      #expect(run.status == 0, "\(run.errors)")
      let commands = run.output.split(separator: "\n").filter { $0.contains("--fleet ") }
      #expect(commands.count == 3)
      #expect(commands.allSatisfy { $0.contains("--fleet nats://10.0.0.1:4222 --unencrypted ") }, "\(run.output)")
    }

    // MARK: - Metrics

    private func figures(_ fleet: ProgramFleet) async throws -> String {
      try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/curl"),
        ["-s", "--unix-socket", fleet.folder.file("metrics.sock"), "http://localhost/metrics"]
      ).finish().output
    }

    private func service(_ fleet: ProgramFleet, _ arguments: [String]) async throws -> RunningProgram {
      let socket = fleet.folder.file("desk.sock")
      let service = try fleet.start(["serve", "--virtual", "--metrics", "--socket", socket] + arguments)
      guard await service.wait(until: { $0.output.hasPrefix("ready \(socket)") || !$0.isRunning }), service.isRunning
      else { throw Failure(.serviceUnavailable, "serve: \(service.errors)") }
      return service
    }

    private func scan(_ number: String) -> [String] {
      [
        "call", "nfc.scan", #"{"passportNumber":"\#(number)","dateOfBirth":"900214","dateOfExpiry":"350630"}"#,
        "--json",
      ]
    }

    @Test("serve --fleet --metrics serves the figures of the desk: round trips, repetitions, errors")
    func metrics() async throws {
      let fleet = try await ProgramFleet(isTracing: true)
      let inspector = try await fleet.inspector("i1")
      defer { inspector.send(signal: SIGKILL) }
      let service = try await service(fleet, fleet.desk("lobby"))
      let socket = ["--socket", fleet.folder.file("desk.sock")]
      // It does not answer before the desk has repeated its question.
      inspector.send(signal: SIGSTOP)
      let call = try fleet.start(scan("TS0264718") + socket)
      #expect(
        await fleet.server.wait { $0.errors.components(separatedBy: "PUB tessera.read.lobby.begin").count > 2 })
      inspector.send(signal: SIGCONT)
      let run = await call.finish(within: 300)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try await fleet.tessera(scan("TS0264719") + socket).status != 0)

      let figures = try await figures(fleet)
      for line in [
        #"tessera_fleet_reads_total{mode="witnessed",outcome="genuine"} 1"#,
        #"tessera_fleet_round_trips_total{mode="witnessed"} "#,
        #"tessera_fleet_repetitions_total{code="noInspector"} "#,
        #"tessera_fleet_errors_total{code="readFailed"} 1"#,
        #"tessera_fleet_read_seconds_count{mode="witnessed"} 1"#,
        // The service's own are there, too.
        #"tessera_request_seconds_count{domain="nfc"} 2"#,
      ] { #expect(figures.contains("\n\(line)"), "\(line): \(figures)") }
      service.send(signal: SIGTERM)
      #expect(await service.finish().status == 0)
    }

    @Test("a publication that the server refuses is counted, and is in the log of the desk")
    func refusedPublication() async throws {
      let fleet = try await ProgramFleet()
      // The name is another one than that of the key.
      let service = try await service(fleet, ["--desk", "bar"] + fleet.desk("lobby"))
      let call = try fleet.start(scan("TS0264718") + ["--socket", fleet.folder.file("desk.sock")])
      #expect(await service.wait { $0.errors.contains("The server refused a publication") }, "\(service.errors)")
      let figures = try await figures(fleet)
      #expect(figures.contains(#"tessera_fleet_errors_total{code="notPermitted"} "#), "\(figures)")
      call.send(signal: SIGTERM)
      service.send(signal: SIGTERM)
      #expect(await service.finish().status == 0)
    }
  }
}
