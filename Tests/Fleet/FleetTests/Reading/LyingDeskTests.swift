import FleetLab
import TesseraPassport
import TesseraReaders
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  /// Desks that lie in the messages of a witnessed read. Each has a real chip at hand, and tries to gain by what it sends.
  @Suite("Desks that lie", .enabled(if: LoadServers.isEnabled))
  struct LyingDeskTests {
    private typealias Scene = LyingDeskScene

    @Test("an honest desk and an original chip: genuine")
    func honest() async throws {
      let scene = try await Scene()
      let verdict = try await scene.verdict()
      #expect(verdict.outcome == .genuine, "\(verdict.headline)")
      await scene.end()
    }

    @Test("a copied chip is not genuine")
    func copy() async throws {
      let scene = try await Scene()
      let verdict = try await scene.verdict(from: scene.copySource)
      #expect(verdict.outcome == .notGenuine)
      #expect(verdict.reason == .chip)
      await scene.end()
    }

    @Test("changed bytes of a file are found", arguments: ["DG1", "DG2", "DG14", "DG15", "EF.SOD"])
    func changedBytes(_ name: String) async throws {
      let scene = try await Scene()
      let result: VerdictMessage?
      do {
        result = try await scene.verdict { statement in
          var position = 0
          for file in statement.files {
            // The last byte but twelve: within the content of every file, and DG1 keeps its form.
            if file.name == name { statement.data.bytes[position + file.length - 12] ^= 1 }
            position += file.length
          }
        }
      } catch let error as FleetError where error.code == .readFailed {
        // The file cannot be parsed any more.
        result = nil
      }
      if let result { #expect(result.outcome == .notGenuine, "\(name): \(result.headline)") }
      await scene.end()
    }

    @Test("the files of an original and the answers of a copy are not genuine")
    func otherChip() async throws {
      let scene = try await Scene()
      // Read once from the original, later shown with a copy.
      let begin = try await scene.desk.begin()
      let (original, _, _) = try await scene.read(scene.document.source, begin)
      let files = try MessageDesk.statement(original)
      let verdict = try await scene.verdict(from: scene.copySource) { statement in
        let evidence = statement.evidence
        statement = files
        statement.evidence = evidence
      }
      #expect(verdict.outcome == .notGenuine)
      #expect(verdict.reason == .chip)
      await scene.end()
    }

    @Test("the files of another document in the middle of a read are not genuine")
    func otherDocument() async throws {
      let scene = try await Scene()
      var otherProfile = scene.document.profile
      otherProfile.isCard.toggle()
      let other = try LabDocument(otherProfile)
      let begin = try await scene.desk.begin()
      let (dump, _, _) = try await scene.read(other.source, begin)
      let verdict = try await scene.verdict { statement in
        // DG2 stays the document's, DG1 is the other one's.
        var bytes: [UInt8] = []
        var position = 0
        for index in statement.files.indices {
          let length = statement.files[index].length
          var file = Array(statement.data.bytes[position..<position + length])
          position += length
          if statement.files[index].name == "DG1" {
            file = dump[.dg1] ?? []
            statement.files[index].length = file.count
          }
          bytes += file
        }
        statement.data.bytes = bytes
        statement.mrz = nil
      }
      #expect(verdict.outcome == .notGenuine)
      #expect(verdict.reason == .data)
      await scene.end()
    }

    @Test("an answer of an earlier read proves nothing")
    func replayedAnswer() async throws {
      let scene = try await Scene()
      let begin = try await scene.desk.begin()
      let (_, answer, _) = try await scene.read(scene.document.source, begin)
      let earlier = try #require(answer?.response)
      let verdict = try await scene.verdict(changeAnswer: { $0 = WitnessedAnswer(response: earlier) })
      #expect(verdict.outcome == .notGenuine)
      #expect(verdict.reason == .chip)
      await scene.end()
    }

    @Test("a whole earlier read with Active Authentication only is not genuine")
    func replayedSignature() async throws {
      let scene = try await Scene { $0.chipAuthentication = [] }
      let first = try await scene.desk.begin()
      let (dump, _, reply) = try await scene.read(scene.document.source, first)
      #expect(reply.verdict?.outcome == .genuine)
      let second = try await scene.desk.begin()
      let verdict = try #require(try await scene.desk.send(try MessageDesk.statement(dump), to: second).verdict)
      #expect(verdict.outcome == .notEstablished)
      #expect(verdict.reason == .challenge)
      await scene.end()
    }

    @Test("no answer, an empty one and a refusal are no proof")
    func noAnswer() async throws {
      let scene = try await Scene()
      let answers: [WitnessedAnswer?] = [
        nil, WitnessedAnswer(response: []), WitnessedAnswer(response: [0x90, 0x00]),
        WitnessedAnswer(refusal: StatusWord(0)),
        WitnessedAnswer(refusal: StatusWord(0x6A80)), WitnessedAnswer(refusal: .success),
        WitnessedAnswer(response: [UInt8](repeating: 0x99, count: 70_000)),
      ]
      for answer in answers {
        let verdict = try await scene.verdict(changeAnswer: { $0 = answer })
        #expect(verdict.outcome != .genuine)
      }
      await scene.end()
    }

    @Test("the keys of the chip cannot be left out", arguments: [["DG14"], ["DG15"], ["DG14", "DG15"]])
    func withheldKeys(_ names: [String]) async throws {
      let scene = try await Scene()
      let excuses: [DocumentDump.Omission.Cause?] = [nil, .protected, .notReached, .undelivered]
      for excuse in excuses {
        let verdict = try await scene.verdict { statement in
          statement.remove(names)
          if let excuse {
            statement.omissions += names.map { .init(file: $0, cause: excuse, reason: "The chip refused it.") }
          }
        }
        #expect(verdict.outcome == .notEstablished, "\(names), \(String(describing: excuse)): \(verdict.headline)")
      }
      await scene.end()
    }

    @Test("what a desk claims of Chip Authentication is no proof")
    func claimedEvidence() async throws {
      let scene = try await Scene()
      // Evidence of an honest read at this machine, with its private key.
      let local = try await scene.document.source.withCard { card in
        try await Inspection.read(card, try LabDocument.request())
      }
      let evidence = try #require(try local.evidence.json())
      let begin = try await scene.desk.begin()
      let (_, answer, _) = try await scene.read(scene.document.source, begin) { $0.evidence = evidence }
      let verdict = try #require(try await scene.desk.send(nil, to: begin).verdict)
      #expect(verdict.outcome != .genuine)
      #expect(answer != nil)
      await scene.end()
    }

    @Test("Chip Authentication Mapping proves nothing through a desk, and a desk can hide that it failed")
    func mapping() async throws {
      let scene = try await Scene { $0 = ChipProfile(named: "fault-clone-cam") ?? $0 }
      let hide: @Sendable (inout FilesStatement) throws -> Void = { statement in
        // Such a document has no other evidence.
        #expect(statement.evidence?.contains("paceChipAuthentication") == true)
        statement.evidence = nil
      }
      let copied = try await scene.verdict(from: scene.copySource)
      #expect(copied.outcome == .notGenuine && copied.reason == .chip, "\(copied.headline)")
      let others = [
        try await scene.verdict(), try await scene.verdict(change: hide),
        try await scene.verdict(from: scene.copySource, change: hide),
      ]
      for verdict in others {
        #expect(verdict.outcome == .notEstablished && verdict.reason == .chipProof, "\(verdict.headline)")
      }
      await scene.end()
    }

    // MARK: - The order of messages

    @Test("a read of another desk does not exist")
    func otherDesk() async throws {
      let scene = try await Scene()
      let other = MessageDesk(try await scene.lab.connect("desk-2"), try #require(DeskName("desk-2")))
      let begin = try await scene.desk.begin()
      let (dump, answer, reply) = try await scene.read(scene.document.source, begin)
      #expect(reply.agreement != nil)
      await #expect(throws: FleetError(.sessionUnknown)) {
        try await other.send(try MessageDesk.statement(dump), to: begin)
      }
      await #expect(throws: FleetError(.sessionUnknown)) { try await other.send(answer, to: begin) }
      // The read of the first desk goes on.
      let verdict = try await scene.desk.send(answer, to: begin).verdict
      #expect(verdict?.outcome == .genuine)
      await scene.end()
    }

    @Test("two reads of one desk cannot exchange their sessions")
    func swappedSessions() async throws {
      let scene = try await Scene()
      let (one, two) = (try await scene.desk.begin(), try await scene.desk.begin())
      let (_, answer, reply) = try await scene.read(scene.document.source, one)
      #expect(reply.agreement != nil)
      let (_, second, _) = try await scene.read(scene.document.source, two)
      // Each answer was made for the other agreement.
      let verdicts = [
        try await scene.desk.send(second, to: one).verdict,
        try await scene.desk.send(answer, to: two).verdict,
      ]
      #expect(verdicts.map { $0?.outcome } == [.notGenuine, .notGenuine])
      await scene.end()
    }

    @Test("each step of a read is taken once and in its order; its repetition has the same answer")
    func order() async throws {
      let scene = try await Scene()
      let begin = try await scene.desk.begin()
      await #expect(throws: FleetError(.sessionUnknown)) {
        try await scene.desk.send(WitnessedAnswer(response: [0x90, 0]), to: begin)
      }
      let (dump, answer, reply) = try await scene.read(scene.document.source, begin)
      // Other files under the same session change nothing.
      var changed = try MessageDesk.statement(dump)
      changed.remove(["DG14"])
      #expect(try await scene.desk.send(changed, to: begin) == reply)
      let verdict = try await scene.desk.send(answer, to: begin)
      #expect(verdict.verdict?.outcome == .genuine)
      // Neither does another answer.
      #expect(try await scene.desk.send(nil, to: begin) == verdict)
      #expect(try await scene.desk.send(changed, to: begin) == reply)
      #expect(scene.recorder.reads.count == 1)
      await scene.end()
    }

    @Test("a request that is repeated while the inspector works is answered with it")
    func repeated() async throws {
      let scene = try await Scene { $0.chipAuthentication = [] }
      let begin = try await scene.desk.begin()
      let dump = try await scene.document.source.withCard { card in
        try await MessageDesk.read(card, try scene.request, challenge: begin) { _ in nil }.dump
      }
      scene.recorder.behave(.waits)
      let statement = try MessageDesk.statement(dump)
      async let first = scene.desk.send(statement, to: begin)
      await scene.recorder.awaitRead()
      async let second = scene.desk.send(statement, to: begin)
      // The inspector receives a beginning after the repetition, since both are on one connection.
      _ = try? await scene.desk.begin()
      scene.recorder.release()
      let replies = [try await first, try await second]
      #expect(replies[0] == replies[1])
      #expect(replies[0].verdict?.outcome == .genuine)
      #expect(scene.recorder.reads.count == 1)
      await scene.end()
    }

    @Test("parts out of order, of unknown reads and in excess are refused with the files")
    func parts() async throws {
      let scene = try await Scene()
      let first = try await scene.desk.begin()
      let (dump, _, _) = try await scene.read(scene.document.source, first)
      func sendParts(_ numbers: [Int], _ bytes: [UInt8], to begin: BeginReply) throws {
        for number in numbers {
          try scene.desk.requests.send(
            scene.desk.subject(begin),
            ReadMessage(session: begin.session, part: FilePart(number: number, data: Base64Bytes(bytes))))
        }
      }
      var statement = try MessageDesk.statement(dump)
      statement.parts = 2
      let wrongOrder = try await scene.desk.begin()
      try sendParts([1, 0], [1], to: wrongOrder)
      await #expect(throws: FleetError(.incomplete)) { try await scene.desk.send(statement, to: wrongOrder) }
      let unknown = try await scene.desk.begin()
      try sendParts(
        [0, 1], [1], to: BeginReply(inspector: unknown.inspector, session: first.session, challenge: unknown.challenge))
      await #expect(throws: FleetError(.incomplete)) { try await scene.desk.send(statement, to: unknown) }
      let tooMany = try await scene.desk.begin()
      try sendParts(Array(0..<20), [UInt8](repeating: 0, count: 512 << 10), to: tooMany)
      statement.parts = 20
      await #expect(throws: FleetError(.tooLarge)) { try await scene.desk.send(statement, to: tooMany) }
      await scene.end()
    }

    @Test("a desk that begins thousands of reads does not keep others from reading")
    func manyBeginnings() async throws {
      let scene = try await Scene()
      var codes: Set<FleetError.Code> = []
      for _ in 0..<2000 {
        do {
          _ = try await scene.desk.begin()
        } catch let error as FleetError {
          codes.insert(error.code)
        }
      }
      #expect(codes == [.busy])
      #expect(scene.inspector.inspector.figures.underWay == FleetLimits().readsPerDesk)
      let other = try await scene.lab.desk("desk-2")
      let reading = try await other.read(scene.document.source, try scene.request, mode: .witnessed)
      #expect(reading.outcome == .genuine)
      await scene.inspector.kill()
      await scene.lab.stop()
    }

    @Test("a desk that floods its inspector with parts loses its own, while another reads in time")
    func manyParts() async throws {
      let scene = try await Scene()
      let begins = [try await scene.desk.begin(), try await scene.desk.begin()]
      func send(_ part: FilePart, _ session: FleetIdentifier) throws {
        try scene.desk.requests.send(scene.desk.subject(begins[0]), ReadMessage(session: session, part: part))
      }
      // Parts of a read that does not exist, with more bytes than the inspector accepts of a desk: 60 × 0.7 MB.
      let unknown = try FleetIdentifier.random()
      let long = FilePart(number: 0, data: Base64Bytes([UInt8](repeating: 0, count: 512 << 10)))
      for _ in 0..<60 { try send(long, unknown) }
      // The first part of a read that exists comes too late.
      try send(long, begins[1].session)
      var limits = FleetLimits.patient
      limits.partSize = 1000
      let other = try await scene.lab.desk("desk-2", limits)
      let reading = try await other.read(scene.document.source, try scene.request, mode: .witnessed)
      #expect(reading.outcome == .genuine)
      #expect(reading.attempts == 1)
      var statement = try MessageDesk.statement(DocumentDump())
      statement.parts = 1
      await #expect(throws: FleetError(.incomplete)) { try await scene.desk.send(statement, to: begins[1]) }
      // The first read is still open.
      await scene.inspector.kill()
      await scene.lab.stop()
    }
  }
}

extension FilesStatement {
  /// Leaves out files with their bytes.
  fileprivate mutating func remove(_ names: [String]) {
    var bytes: [UInt8] = []
    var position = 0
    for file in files {
      if !names.contains(file.name) { bytes += data.bytes[position..<position + file.length] }
      position += file.length
    }
    files.removeAll { names.contains($0.name) }
    data.bytes = bytes
  }
}
