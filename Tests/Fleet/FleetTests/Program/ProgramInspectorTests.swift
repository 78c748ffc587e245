import FleetLab
import Foundation
import TesseraBridge
import TesseraCryptography
import TesseraNATS
import TesseraThreads
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  /// What an inspector's operator decides, and what a desk notices of it.
  @Suite("The program of an inspector", .enabled(if: ProgramFleet.isEnabled, "nats-server is not installed"))
  struct ProgramInspectorTests {
    @Test(
      "inspect --fleet-reading accepts reads of this way only",
      arguments: [("witnessed", "remote"), ("remote", "witnessed")])
    func ways(_ accepted: String, _ refused: String) async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i1", ["--virtual", "--fleet-reading", accepted])
      defer { inspector.send(signal: SIGKILL) }
      let arguments = ["fleet", "read", "--virtual"] + fleet.desk("lobby")
      let run = try await fleet.tessera(arguments + ["--fleet-reading", refused])
      #expect(run.status == 2 && run.output.isEmpty)
      #expect(
        run.errors
          == "tessera: The inspector does not read documents in this way. Choose the other way of reading, or change "
          + "the configuration of the inspectors.\n")
      let object = try JSONValue(
        text: try await fleet.tessera(arguments + ["--fleet-reading", refused, "--json"]).output)
      #expect(object["error"]?["code"] == "usage")
      let read = try JSONValue(
        text: try await fleet.tessera(arguments + ["--fleet-reading", accepted, "--json"]).output)
      #expect(read["outcome"] == "genuine" && read["fleet"]?["mode"]?.stringValue == accepted)
      #expect(try await fleet.status()["record"]?["messages"] == 1)
    }

    // MARK: - The record

    @Test("inspect --policy keeps, hashes and encrypts what the file names, and nothing else of the document")
    func policy() async throws {
      let fleet = try await ProgramFleet()
      let recipient = try await RecordRecipient()
      let (file, key) = (fleet.folder.file("policy.json"), [UInt8](repeating: 7, count: 32))
      try Data(key).write(to: URL(fileURLWithPath: fleet.folder.file("record.key")))
      let text = """
        {
          "version": 1, "hashKeyFile": "record.key", "recipientFiles": ["\(recipient.certificateFile)"],
          "fields": { "issuingState": "keep", "documentNumber": "hash", "mrz": "encrypt" }
        }
        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      let inspector = try await fleet.inspector("i1", ["--virtual", "--policy", file])
      defer { inspector.send(signal: SIGKILL) }
      let run = try await fleet.tessera(["fleet", "read", "--virtual", "--json"] + fleet.desk("lobby"))
      #expect(run.status == 0, "\(run.errors)")

      let administrator = try await LoadServers.connect("admin", seed: fleet.seed("admin"), at: [fleet.address])
      let message = try #require(
        try await JetStream(administrator).message(in: RecordStream.name, matching: RecordStream.subject, from: 1))
      await administrator.close()
      let record = try JSONValue(text: String(decoding: message.payload, as: UTF8.self))
      let content = SpecimenDocument.content
      #expect(try record["read"] == JSONValue(text: run.output)["fleet"]?["read"])
      #expect(record["document"] == ["issuingState": .string(content.issuingState)])
      let code = try HMAC.code(of: Array("documentNumber\u{0}\(content.documentNumber)".utf8), key: SecretBytes(key))
      #expect(record["hashed"] == ["documentNumber": .string(code.map { String(format: "%02x", $0) }.joined())])
      let envelope = try #require(record["encrypted"]?.stringValue.flatMap { Data(base64Encoded: $0) })
      let fields = try JSONValue(text: String(decoding: try await recipient.decrypt(Array(envelope)), as: UTF8.self))
      guard case .object(let members) = fields else {
        Issue.record("no object")
        return
      }
      #expect(members.names == ["mrz"] && fields["mrz"]?.stringValue?.contains(content.documentNumber) == true)
      for value in [content.documentNumber, content.primaryIdentifier, content.dateOfBirth] {
        #expect(!record.text.contains(value))
      }
    }

    // MARK: - Its end

    @Test(
      "SIGTERM in the middle of a read: the read is finished, then the program", arguments: FleetReadingMode.allCases)
    func finishes(_ mode: FleetReadingMode) async throws {
      let scene = try await Scene()
      let commands = Locked(0)
      _ = try await scene.read(mode) { _ in commands.withLock { $0 += 1 } }
      // Before the last command: the rest is short, also where the machine is so slow that a read takes longer than the
      // program waits.
      let last = commands.withLock { $0 } - 1
      let reading = try await scene.read(mode) { if $0 == last { try await scene.terminate() } }
      #expect(reading.outcome == .genuine && reading.recorded && reading.attempts == 1)
      let run = await scene.inspector.finish(within: 600)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try await scene.fleet.status()["record"]?["messages"] == 2)
    }

    @Test(
      "SIGTERM in the middle of a read that does not end: the program ends, and another inspector begins the read again",
      arguments: FleetReadingMode.allCases)
    func givesUp(_ mode: FleetReadingMode) async throws {
      let scene = try await Scene()
      let second = Locked<RunningProgram?>(nil)
      defer { second.withLock { $0 }?.send(signal: SIGKILL) }
      let reading = try await scene.read(mode) { number in
        guard number == 30 else { return }
        try await scene.terminate()
        let run = await scene.inspector.finish(within: 600)
        #expect(run.status == 0, "\(run.errors)")
        let inspector = try await scene.fleet.inspector("i2")
        second.withLock { $0 = inspector }
      }
      #expect(reading.outcome == .genuine && reading.recorded && reading.attempts == 2)
      #expect(try await scene.fleet.status()["record"]?["messages"] == 1)
    }

    /// A desk of this process with an inspector that is a program.
    private struct Scene {
      let fleet: ProgramFleet
      let inspector: RunningProgram
      private let document: LabDocument

      init() async throws {
        document = try LabDocument(.bac)
        fleet = try await ProgramFleet(isTracing: true)
        inspector = try await fleet.inspector("i1")
      }

      /// Sends SIGTERM, and waits until the inspector takes no further reads.
      func terminate() async throws {
        let before = endedSubscriptions
        inspector.send(signal: SIGTERM)
        #expect(await fleet.server.wait { _ in endedSubscriptions > before })
      }

      private var endedSubscriptions: Int {
        fleet.server.errors.split(separator: "\n").count { $0.contains("[UNSUB ") }
      }

      /// Reads the document.
      ///
      /// - Parameter body: runs before each command of the chip, and receives its number from 0.
      func read(
        _ mode: FleetReadingMode, _ body: @escaping @Sendable (Int) async throws -> Void
      ) async throws -> FleetReading {
        let connection = try await LoadServers.connect("lobby", seed: fleet.seed("desk-lobby"), at: [fleet.address])
        let desk = FleetDesk(connection: connection, name: try #require(DeskName("lobby")), limits: .patient)
        let source = document.source { channel in
          HookedChannel(channel) { number in
            do { try await body(number) } catch { Issue.record(error) }
          }
        }
        let reading = try await desk.read(source, try LabDocument.request(), mode: mode)
        await connection.close()
        return reading
      }
    }
  }
}
