import FleetLab
import Foundation
import TesseraCore
import TesseraNATS
import TesseraThreads
import TestSupport
import Testing

extension RealPrograms {
  /// What a server itself says, or does: each command ends with it at once.
  @Suite("Fleet: servers that refuse", .enabled(if: ProgramFleet.isEnabled))
  struct ProgramRefusalTests {
    private static let fleet = ProgramRun.built("tessera-fleet")
    /// In kilobytes: the program itself takes 32 MB, the longest message 8 MB, and once more while it is copied.
    private static let mostResident = 96 << 10

    private func expectBounded(_ run: FloodingServer.Run, _ comment: Comment) {
      #expect(run.status != 0, comment)
      #expect(ProgramRun.isSanitized || run.resident < Self.mostResident, comment)
      #expect(run.sent < 64 << 20, comment)
    }

    @Test(
      "a server that sends without end is left, before what it sends fills the memory",
      arguments: FloodingServer.Case.allCases)
    func flood(_ this: FloodingServer.Case) async throws {
      let run = try await FloodingServer.run(
        this, Self.fleet, ["fleet", "status", "--fleet", "nats://127.0.0.1:PORT"])
      expectBounded(run, "\(this): \(run)")
      switch this {
      case .greeting: #expect(run.errors.contains("an answer that cannot be read"), "\(run)")
      // libnats itself refuses what it cannot count.
      case .overflow, .error, .word: break
      case .announced: #expect(run.errors.contains("announces more than the 8388608 bytes"), "\(run)")
      case .message, .headers, .line, .information:
        #expect(run.errors.contains("more than the 1048576 bytes that a message may have"), "\(run)")
      }
    }

    @Test("the same through TLS", arguments: [FloodingServer.Case.message, .headers, .announced])
    func encryptedFlood(_ this: FloodingServer.Case) async throws {
      let certificate = try await LabCertificate()
      let run = try await FloodingServer.run(
        this, certificate: (certificate.file, certificate.keyFile), Self.fleet,
        ["fleet", "status", "--fleet", "tls://localhost:PORT", "--fleet-ca", certificate.file])
      expectBounded(run, "\(this): \(run)")
      #expect(run.errors.contains("bytes that a message may have"), "\(run)")
    }

    @Test(
      "an inspector and a desk leave it, too",
      arguments: [
        ["inspect", "--inspector", "i1", "--virtual"], ["fleet", "read", "--desk", "d1", "--virtual", "bac"],
        ["fleet", "prepare"],
      ])
    func flood(_ command: [String]) async throws {
      let run = try await FloodingServer.run(
        .message, Self.fleet, command + ["--fleet", "nats://127.0.0.1:PORT"])
      expectBounded(run, "\(run)")
      #expect(run.errors.contains("more than the 1048576 bytes that a message may have"), "\(run)")
    }

    @Test("without JetStream, its absence is said")
    func noJetStream() async throws {
      let servers = try await NATSServers.start()
      let fleet = ["--fleet", "\(servers.addresses[0])"]
      for command in [["fleet", "prepare"], ["fleet", "status"], ["fleet", "status", "--json"]] {
        let run = try await ProgramRun.tessera(command + fleet)
        #expect(run.status == 3 && run.output.isEmpty != command.contains("--json"), "\(command): \(run)")
        #expect(run.errors.contains("The NATS server has no JetStream for this key (503 no responders)."), "\(run)")
      }
      await servers.stop()
    }

    @Test("what a key may not do is said, with the subject")
    func notPermitted() async throws {
      let fleet = try await ProgramFleet()
      // The key is that of another user than the name.
      for command in [["fleet", "prepare"], ["fleet", "status"], ["fleet", "status", "--json"]] {
        for seed in ["desk-lobby", "inspector-i1"] {
          let run = try await fleet.tessera(command + fleet.arguments(seed: seed))
          #expect(run.status == 3 && run.output.isEmpty != command.contains("--json"), "\(command) \(seed): \(run)")
          #expect(run.errors.contains("The NATS server refuses this key the subject "), "\(run)")
          #expect(run.errors.contains("Use a key that may do this, with its own name"), "\(run)")
        }
      }
      for command in [["fleet", "read", "--desk", "bar", "--virtual", "bac"]] {
        let run = try await fleet.tessera(command + fleet.desk("lobby"))
        #expect(run.status == 3, "\(run)")
        #expect(run.errors.contains("The NATS server refuses this key the subject tessera."), "\(run)")
      }
      let inspector = try await fleet.tessera(
        ["inspect", "--inspector", "i1", "--virtual"] + fleet.arguments(seed: "desk-lobby"))
      #expect(inspector.status == 3, "\(inspector)")
      #expect(inspector.errors.contains("refuses this key the subject tessera."), "\(inspector)")
    }

    @Test("to prepare again changes nothing: no stream, no file, no message")
    func preparedAgain() async throws {
      let servers = try await NATSServers.start(hasJetStream: true)
      let fleet = ["--fleet", "\(servers.addresses[0])", "--record-limit", "1"]
      let first = try await ProgramRun.tessera(["fleet", "prepare"] + fleet)
      #expect(first.status == 0 && !first.output.contains("not changed"), "\(first)")
      let connection = try await servers.connect()
      let streams = JetStream(connection)
      let names = ["TESSERA_RECORD", "KV_TRUST"]
      let advisories = Locked(0)
      let advice = try connection.subscribe("$JS.EVENT.ADVISORY.STREAM.>") { _ in advisories.withLock { $0 += 1 } }
      try await connection.flush(within: .seconds(60))
      var states: [StreamState?] = []
      for name in names { states.append(try await streams.stream(name)) }
      let files = try servers.storedFiles()
      #expect(states.compactMap(\.self).count == 2 && !files.isEmpty)

      let second = try await ProgramRun.tessera(["fleet", "prepare"] + fleet)
      #expect(second.status == 0, "\(second)")
      #expect(second.output.components(separatedBy: "It was so already, and was not changed.").count == 3, "\(second)")
      var later: [StreamState?] = []
      for name in names { later.append(try await streams.stream(name)) }
      #expect(later == states)
      #expect(try servers.storedFiles() == files)
      #expect(advisories.withLock { $0 } == 0)

      // Another limit changes one of them, and counts as a change.
      let third = try await ProgramRun.tessera(["fleet", "prepare", "--keep", "30"] + fleet)
      #expect(third.status == 0 && third.output.components(separatedBy: "not changed").count == 2, "\(third)")
      try await eventually { advisories.withLock { $0 } == 1 }
      // What no option names stays.
      let address = ["--fleet", "\(servers.addresses[0])"]
      let fourth = try await ProgramRun.tessera(["fleet", "prepare"] + address)
      #expect(fourth.status == 0 && fourth.output.components(separatedBy: "not changed").count == 3, "\(fourth)")
      _ = try await ProgramRun.tessera(["fleet", "prepare", "--record-limit", "2"] + address)
      let larger = try await streams.stream("TESSERA_RECORD")
      #expect(larger?.maximumBytes == 2 << 30 && larger?.maximumAge == .seconds(30 * 86_400))
      _ = try await ProgramRun.tessera(["fleet", "prepare", "--keep", "0"] + address)
      let endless = try await streams.stream("TESSERA_RECORD")
      #expect(endless?.maximumBytes == 2 << 30 && endless?.maximumAge == nil)
      advice.cancel()
      await connection.close()
      await servers.stop()
    }
  }
}
