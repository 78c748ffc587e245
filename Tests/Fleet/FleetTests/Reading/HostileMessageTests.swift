import FleetLab
import TesseraNATS
import TesseraPassport
import TesseraSmartCard
import TesseraThreads
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("Hostile messages", .enabled(if: LoadServers.isEnabled))
  struct HostileMessageTests {
    @Test("an inspector answers another version with a typed error")
    func versionOfDesk() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: LabRecorder())
      let connection = try await lab.connect("desk-1")
      let desk = try #require(DeskName("desk-1"))
      for subject in [FleetSubject.begin(desk), FleetSubject.read(desk, inspector.inspector.identifier)] {
        let answer = try await connection.request(
          subject, Array(#"{"version":2,"hello":true}"#.utf8), timeout: .seconds(30))
        #expect(throws: FleetError(.unknownVersion)) {
          try FleetCoding.decode(response: BeginReply.self, from: answer.payload, limit: 1 << 20)
        }
      }
      await inspector.stop()
      await lab.stop()
    }

    @Test("an inspector answers to an inbox of the desk only, since no server checks where a desk wants its answer")
    func replySubjects() async throws {
      let lab = try await FleetLab.start()
      let inspector = try await lab.inspector(trust: LabTrust(nil), recorder: LabRecorder())
      let (connection, witness) = (try await lab.connect("desk-1"), try await lab.connect("witness"))
      let desk = try #require(DeskName("desk-1"))
      let answered = Locked<Set<String>>([])
      let subscription = try witness.subscribe(">") { message in
        if String(decoding: message.payload, as: UTF8.self).contains("unknownVersion") {
          _ = answered.withLock { $0.insert(message.subject) }
        }
      }
      try await witness.flush(within: .seconds(30))
      let honest = "tessera.inbox.desk-1.mine"
      for reply in ["tessera.inbox.desk-2.x", "tessera.relay.desk-2.x", "tessera.record.desk-2.x", "x", honest] {
        for subject in [FleetSubject.begin(desk), FleetSubject.read(desk, inspector.inspector.identifier)] {
          try connection.publish(NATSMessage(subject: subject, reply: reply, payload: Array(#"{"version":2}"#.utf8)))
        }
      }
      // The connection carries what was published before; the inspector ends when it has answered everything.
      try await connection.flush(within: .seconds(30))
      _ = try await connection.request(FleetSubject.begin(desk), [], timeout: .seconds(60))
      await inspector.stop()
      try await witness.flush(within: .seconds(30))
      #expect(answered.withLock { $0 } == [honest])
      subscription.cancel()
      await lab.stop()
    }

    @Test("a desk reports another version with a typed error, at once", arguments: FleetReadingMode.allCases)
    func versionOfInspector(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let connection = try await lab.connect("newer")
      let subscription = try connection.subscribe(FleetSubject.everyBegin, queue: FleetSubject.inspectors) { message in
        try? connection.respond(to: message, Array(#"{"version":2,"verdict":"maybe"}"#.utf8))
      }
      try await connection.flush(within: .seconds(30))
      let desk = try await lab.desk("desk-1")
      await #expect(throws: FleetError(.unknownVersion)) {
        try await desk.read(document.source, try LabDocument.request(), mode: mode)
      }
      subscription.cancel()
      await lab.stop()
    }

    @Test("mutations of all requests are answered, and the inspector still reads afterwards")
    func fuzzed() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(try #require(ChipProfile(named: "malaysia-2023")))
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: LabRecorder())
      let connection = try await lab.connect("desk-1")
      let name = try #require(DeskName("desk-1"))
      let honest = MessageDesk(connection, name)
      let first = try await honest.begin()
      let dump = try await document.source.withCard { card in
        try await MessageDesk.read(card, try LabDocument.request(), challenge: first) { _ in nil }.dump
      }
      let statement = try MessageDesk.statement(dump)
      let begin = try FleetCoding.encode(BeginMessage(readID: .random(), mode: .witnessed, software: "x"))
      let answer = AnswerStatement(
        refusal: nil, response: Base64Bytes([0x90, 0]), transport: TransportStatement(.init(), duration: .zero))
      let identifier = inspector.inspector.identifier
      var answers = 0
      try await Fuzzing.manyTimes(150, of: "requests to an inspector") { generator in
        let session = (try? await honest.begin())?.session ?? first.session
        let requests: [(String, [UInt8])] = [
          (FleetSubject.begin(name), begin),
          (
            FleetSubject.read(name, identifier), try FleetCoding.encode(ReadMessage(session: session, files: statement))
          ),
          (FleetSubject.read(name, identifier), try FleetCoding.encode(ReadMessage(session: session, answer: answer))),
        ]
        let (subject, original) = try #require(requests.randomElement(using: &generator))
        let payload = Fuzzing.mutated(original, &generator)
        // Whatever it is, there is an answer in JSON with its version.
        let reply = try await connection.request(subject, payload, timeout: .seconds(60))
        do throws(FleetError) {
          _ = try FleetCoding.decode(response: AnyReply.self, from: reply.payload, limit: 1 << 20)
        } catch {
          #expect(error.code != .internalError && error.code != .unknownVersion || payload != original)
        }
        // The same as a part, without an answer.
        try connection.publish(NATSMessage(subject: subject, payload: payload))
        answers += 1
      }
      #expect(answers >= 150)
      let desk = try await lab.desk("desk-2")
      let reading = try await desk.read(document.source, try LabDocument.request(), mode: .witnessed)
      #expect(reading.outcome == .genuine)
      await inspector.kill()
      await lab.stop()
    }

    private struct AnyReply: FleetMessage {}

    @Test("an inspector that answers commands with nonsense ends in a typed error at the desk")
    func hostileInspector() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let connection = try await lab.connect("fake")
      let answers = [
        "{}", "[]", #"{"version":1}"#, #"{"version":1,"inspector":"x","session":"y","challenge":""}"#,
        #"{"version":1,"inspector":"AAAAAAAAAAAAAAAAAAAAAA","session":"AAAAAAAAAAAAAAAAAAAAAA","challenge":"AAAA"}"#,
      ]
      for answer in answers {
        let subscription = try connection.subscribe(FleetSubject.everyBegin, queue: FleetSubject.inspectors) {
          message in
          try? connection.respond(to: message, Array(answer.utf8))
        }
        try await connection.flush(within: .seconds(30))
        let desk = try await lab.desk("desk-1")
        await #expect(throws: FleetError(.malformed), "\(answer)") {
          try await desk.read(document.source, try LabDocument.request(), mode: .witnessed)
        }
        subscription.cancel()
        try await connection.flush(within: .seconds(30))
      }
      await lab.stop()
    }

    // MARK: - The relay

    @Test("a desk executes commands for its own read only, within its limits")
    func relay() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.open)
      let connection = try await lab.connect("fake")
      let (begins, beginsSource) = AsyncStream.makeStream(of: NATSMessage.self)
      let subscription = try connection.subscribe(FleetSubject.everyBegin, queue: FleetSubject.inspectors) {
        beginsSource.yield($0)
      }
      try await connection.flush(within: .seconds(30))
      let desk = try await lab.desk("desk-1")
      async let outcome: Result<FleetReading, any Error> = {
        do { return .success(try await desk.read(document.source, InspectionRequest(key: nil), mode: .remote)) } catch {
          return .failure(error)
        }
      }()
      var iterator = begins.makeAsyncIterator()
      let message = try #require(await iterator.next())
      let begin = try FleetCoding.decode(BeginMessage.self, from: message.payload, limit: 1 << 20)
      let session = try #require(begin.offer).session
      let subject = FleetSubject.relay(desk.name, session)
      func ask(_ request: RelayMessage, _ subject: String) async throws -> RelayReply {
        let reply = try await connection.request(subject, try FleetCoding.encode(request), timeout: .seconds(30))
        return try FleetCoding.decode(response: RelayReply.self, from: reply.payload, limit: 1 << 20)
      }
      func batch(_ commands: [[UInt8]]) -> RelayMessage {
        var request = RelayMessage()
        request.batch = commands.map { RelayMessage.Entry(CommandBatch.Entry(command: $0)) }
        return request
      }
      // SELECT of the application, then a command that fails: the third is not executed.
      let select: [UInt8] = [0x00, 0xA4, 0x04, 0x0C, 0x07, 0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01]
      let replies = try await ask(batch([select, [0, 0xB0, 0x9F, 0, 0], select]), subject).responses?.map(\.bytes)
      #expect(replies?.count == 2)
      #expect(replies?.first == [0x90, 0x00])
      await #expect(throws: FleetError(.tooLarge)) {
        try await ask(batch([[UInt8]](repeating: select, count: 257)), subject)
      }
      await #expect(throws: FleetError(.tooLarge)) {
        try await ask(batch([[UInt8](repeating: 0, count: 65_545)]), subject)
      }
      await #expect(throws: FleetError(.tooLarge)) { try await ask(batch([]), subject) }
      var both = batch([select])
      both.awaitReturn = 5
      await #expect(throws: FleetError(.malformed)) { try await ask(both, subject) }
      let garbage = try await connection.request(subject, Array("{".utf8), timeout: .seconds(30))
      #expect(throws: FleetError(.malformed)) {
        try FleetCoding.decode(response: RelayReply.self, from: garbage.payload, limit: 1 << 20)
      }
      // Nobody answers for a session that the desk did not begin.
      await #expect(throws: NATSError.self) {
        try await connection.request(
          FleetSubject.relay(desk.name, try .random()), try FleetCoding.encode(batch([select])),
          timeout: .milliseconds(500))
      }
      // After the end of the read everything is refused.
      try connection.respond(to: message, try FleetCoding.encode(FleetError(.refused)))
      let result = await outcome
      #expect(throws: FleetError(.refused)) { try result.get() }
      await #expect(throws: FleetError(.refused)) { try await ask(batch([select]), subject) }
      subscription.cancel()
      await lab.stop()
    }

    @Test("a desk that lies to the relay ends the read with a typed error", arguments: 0..<5)
    func lyingRelay(_ number: Int) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: LabRecorder())
      let connection = try await lab.connect("desk-1")
      let name = try #require(DeskName("desk-1"))
      let session = try FleetIdentifier.random()
      let replies = [
        RelayReply(), RelayReply(responses: []), RelayReply(responses: [[UInt8]](repeating: [0x90, 0], count: 300)),
        RelayReply(responses: [], isPartial: true), RelayReply(responses: [[UInt8](repeating: 0, count: 70_000)]),
      ]
      let reply = try FleetCoding.encode(replies[number])
      let subscription = try connection.subscribe(FleetSubject.relay(name, session)) { message in
        try? connection.respond(to: message, reply)
      }
      let card = VirtualCard.card(try Chip(profile: .bac, files: document.document.files))
      let begin = BeginMessage(
        readID: try .random(), mode: .remote, software: "x",
        offer: RelayOffer(session: session, card: card, request: RemoteRequest(try LabDocument.request())))
      let answer = try await connection.request(
        FleetSubject.begin(name), try FleetCoding.encode(begin), timeout: .seconds(60))
      #expect(throws: FleetError(.malformed)) {
        try FleetCoding.decode(response: VerdictMessage.self, from: answer.payload, limit: 1 << 20)
      }
      subscription.cancel()
      await inspector.stop()
      await lab.stop()
    }
  }
}
