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
  @Suite("Inspectors that are lost, busy or stopped", .enabled(if: LoadServers.isEnabled))
  struct LostInspectorTests {
    /// A desk that notices the loss of an inspector. One that is taken for lost because it is slow costs an attempt.
    private static var limits: FleetLimits {
      var limits = FleetLimits.patient
      (limits.begin, limits.answer, limits.silence) = (.seconds(10), .seconds(10), .seconds(10))
      return limits
    }

    @Test(
      "a read that loses its inspector in the middle is repeated by another, with one record",
      arguments: FleetReadingMode.allCases)
    func lost(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(try #require(ChipProfile(named: "canada-2023")))
      let (trust, recorder) = (LabTrust(document.trust), LabRecorder())
      let first = try await lab.inspector(trust: trust, recorder: recorder)
      let second = Locked<LabInspector?>(nil)
      let source = document.source { channel in
        HookedChannel(channel, before: 30) {
          await first.kill()
          let inspector = try? await lab.inspector(trust: trust, recorder: recorder)
          second.withLock { $0 = inspector }
        }
      }
      let desk = try await lab.desk("desk-1", Self.limits)
      let reading = try await desk.read(source, try LabDocument.request(), mode: mode)
      #expect(reading.attempts >= 2)
      #expect(reading.outcome == .genuine)
      #expect(recorder.reads.map(\.readID) == [reading.readID])
      let inspector = try #require(second.withLock { $0 })
      #expect(recorder.reads.map(\.inspector) == [inspector.inspector.identifier])
      await inspector.stop()
      await lab.stop()
    }

    @Test("an inspector that is lost before its record is stored leaves none", arguments: FleetReadingMode.allCases)
    func lostBeforeRecord(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let (trust, recorder, waiting) = (LabTrust(document.trust), LabRecorder(), LabRecorder(.waits))
      let doomed = try await lab.inspector(trust: trust, recorder: waiting)
      let desk = try await lab.desk("desk-1", Self.limits)
      async let reading = desk.read(document.source, try LabDocument.request(), mode: mode)
      await waiting.awaitRead()
      await doomed.kill()
      let second = try await lab.inspector(trust: trust, recorder: recorder)
      let result = try await reading
      #expect(result.outcome == .genuine)
      #expect(result.attempts >= 2)
      #expect(recorder.reads.map(\.readID) == [result.readID])
      waiting.release()
      await second.stop()
      await lab.stop()
    }

    @Test("a desk whose server is killed before the verdict asks again and receives it, with one record")
    func lostServer() async throws {
      let lab = try await FleetLab.start(2)
      let document = try LabDocument(try #require(ChipProfile(named: "canada-2023")))
      let recorder = LabRecorder(.waits)
      let inspector = try await LabInspector(
        try await lab.connect("inspector", to: 1), trust: LabTrust(document.trust), recorder: recorder)
      let connection = try await lab.connect("desk-1", to: 0)
      try await Self.awaitRoute(from: connection, to: inspector.connection)
      let desk = FleetDesk(connection: connection, name: try #require(DeskName("desk-1")), limits: .patient)
      async let reading = desk.read(document.source, try LabDocument.request(), mode: .witnessed)
      await recorder.awaitRead()
      await lab.servers.kill(0)
      recorder.release()
      // The new server learns late that there is an inspector, after the desk has asked it.
      lab.servers.suspend(1)
      try await lab.servers.restart(0)
      try await eventually { connection.state == .connected }
      try await Task.sleep(for: .seconds(1))
      lab.servers.resume(1)
      let result = try await reading
      #expect(result.attempts == 1)
      #expect(result.outcome == .genuine)
      #expect(recorder.reads.map(\.readID) == [result.readID])
      await inspector.stop()
      await lab.stop()
    }

    /// Waits until the server of one connection knows what the other one has subscribed to at its server.
    private static func awaitRoute(from connection: NATSConnection, to other: NATSConnection) async throws {
      let answers = try other.subscribe("route") { try? other.respond(to: $0, []) }
      try await other.flush(within: .seconds(60))
      try await eventually {
        (try? await connection.request("route", [], timeout: .seconds(10))) != nil
      }
      answers.cancel()
    }

    @Test("without an inspector the read fails in time", arguments: FleetReadingMode.allCases)
    func none(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      var limits = FleetLimits.impatient
      limits.begin = .milliseconds(200)
      let desk = try await lab.desk("desk-1", limits)
      await #expect(throws: FleetError(.noInspector)) {
        try await desk.read(document.source, try LabDocument.request(), mode: mode)
      }
      await lab.stop()
    }

    @Test("a desk waits for an inspector that is busy", arguments: FleetReadingMode.allCases)
    func busy(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let spy = try await lab.spy()
      let document = try LabDocument(.bac)
      let recorder = LabRecorder(.waits)
      var configuration = InspectorConfiguration.patient
      configuration.limits.reads = 1
      let inspector = try await lab.inspector(
        trust: LabTrust(document.trust), recorder: recorder, configuration)
      let (one, two) = (try await lab.desk("desk-1"), try await lab.desk("desk-2"))
      async let first = one.read(document.source, try LabDocument.request(), mode: mode)
      await recorder.awaitRead()
      async let second = two.read(document.source, try LabDocument.request(), mode: mode)
      try await spy.awaitMessage { String(decoding: $0, as: UTF8.self).contains(#""code":"busy""#) }
      recorder.release()
      let readings = [try await first, try await second]
      #expect(readings[0].attempts == 1)
      #expect(readings[1].attempts > 1)
      #expect(readings.map(\.outcome) == [.genuine, .genuine])
      #expect(Set(recorder.reads.map(\.readID)) == Set(readings.map(\.readID)))
      await inspector.stop()
      await lab.stop()
    }

    @Test(
      "an inspector that stops answers what is under way and takes nothing more", arguments: FleetReadingMode.allCases)
    func stopped(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let recorder = LabRecorder(.waits)
      var configuration = InspectorConfiguration.patient
      configuration.limits.drain = .seconds(600)
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: recorder, configuration)
      let desk = try await lab.desk("desk-1")
      async let reading = desk.read(document.source, try LabDocument.request(), mode: mode)
      await recorder.awaitRead()
      async let stopped: Void = inspector.stop()
      // Once the beginning of another read finds nobody, the inspector is stopping.
      let other = MessageDesk(try await lab.connect("desk-2"), try #require(DeskName("desk-2")))
      var isStopping = false
      while !isStopping {
        do {
          _ = try await other.begin(within: .seconds(60))
        } catch let error as FleetError {
          isStopping = [.noInspector, .closing].contains(error.code)
        }
      }
      recorder.release()
      let result = try await reading
      #expect(result.attempts == 1)
      #expect(result.outcome == .genuine)
      await stopped
      await lab.stop()
    }

    @Test("a read that its desk abandoned ends at the inspector")
    func abandoned() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      var configuration = InspectorConfiguration.patient
      configuration.limits.drain = .seconds(600)
      let inspector = try await lab.inspector(
        trust: LabTrust(document.trust), recorder: LabRecorder(), configuration)
      let desk = try await lab.desk("desk-1")
      let reached = FirstResult<Void>()
      let source = document.source { channel in
        HookedChannel(channel, before: 30) {
          reached.settle(.success(()))
          // Until the read is cancelled.
          try? await untilCancelled()
        }
      }
      let task = Task { try await desk.read(source, try LabDocument.request(), mode: .remote) }
      try await reached.value
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      // The desk refuses the next command, so that the inspector need not wait for its limit.
      await inspector.stop()
      let figures = inspector.inspector.figures
      #expect(figures.underWay == 0)
      #expect(figures.reads["refused"] == 1, "\(figures.reads)")
      await lab.stop()
    }

    @Test("a desk that is lost in the middle ends the read at the inspector")
    func lostDesk() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let recorder = LabRecorder()
      var configuration = InspectorConfiguration.patient
      // The responses before the loss come in time on a slow machine, too.
      configuration.limits.relay = .seconds(10)
      configuration.limits.drain = .seconds(600)
      let inspector = try await lab.inspector(
        trust: LabTrust(document.trust), recorder: recorder, configuration)
      let connection = try await lab.connect("desk-1")
      let desk = FleetDesk(connection: connection, name: try #require(DeskName("desk-1")), limits: .patient)
      let source = document.source { channel in
        HookedChannel(channel, before: 30) { await connection.close() }
      }
      await #expect(throws: FleetError(.disconnected)) {
        try await desk.read(source, try LabDocument.request(), mode: .remote)
      }
      await inspector.stop()
      let figures = inspector.inspector.figures
      #expect(figures.underWay == 0)
      #expect(figures.reads == ["deskLost": 1], "\(figures.reads)")
      #expect(recorder.reads.isEmpty)
      await lab.stop()
    }

    @Test("an inspector that takes a remote read and falls silent is noticed")
    func silent() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let connection = try await lab.connect("silent")
      let subscription = try connection.subscribe(FleetSubject.everyBegin, queue: FleetSubject.inspectors) { message in
        guard let desk = FleetSubject.desk(ofRead: message.subject),
          let begin = try? FleetCoding.decode(BeginMessage.self, from: message.payload, limit: 1 << 20),
          let session = begin.offer?.session, let sign = try? FleetCoding.encode(RelayMessage())
        else { return }
        try? connection.publish(NATSMessage(subject: FleetSubject.relay(desk, session), payload: sign))
      }
      try await connection.flush(within: .seconds(60))
      var limits = FleetLimits.impatient
      // Its sign comes in time on a slow machine, too.
      limits.begin = .seconds(5)
      limits.silence = .milliseconds(200)
      let desk = try await lab.desk("desk-1", limits)
      await #expect(throws: FleetError(.relayLost)) {
        try await desk.read(document.source, try LabDocument.request(), mode: .remote)
      }
      subscription.cancel()
      await lab.stop()
    }

    @Test("an inspector gives signs of life while it waits for something else")
    func signsOfLife() async throws {
      let lab = try await FleetLab.start()
      let spy = try await lab.spy()
      let document = try LabDocument(.bac)
      let recorder = LabRecorder(.waits)
      var configuration = InspectorConfiguration.patient
      configuration.limits.heartbeat = .milliseconds(20)
      let inspector = try await lab.inspector(
        trust: LabTrust(document.trust), recorder: recorder, configuration)
      let desk = try await lab.desk("desk-1")
      async let reading = desk.read(document.source, try LabDocument.request(), mode: .remote)
      await recorder.awaitRead()
      let sign = try FleetCoding.encode(RelayMessage())
      let before = try await spy.payloads().count { $0 == sign }
      while try await spy.payloads().count(where: { $0 == sign }) < before + 3 { await Task.yield() }
      recorder.release()
      #expect(try await reading.outcome == .genuine)
      await inspector.stop()
      await lab.stop()
    }
  }
}
