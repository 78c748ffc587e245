import Dispatch
import FleetLab
import TesseraNATS
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("Problems of an inspector's connection", .enabled(if: LoadServers.isEnabled))
  struct ConnectionProblemTests {
    @Test("a queue that overflows is logged, counted and in the status, and other desks' reads come out after it")
    func overflow() async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let recorder = LabRecorder()
      let (isArmed, gate, entered) = (Locked(false), DispatchSemaphore(value: 0), FirstResult<Void>())
      // Holds up the queue of the reads while it ends one.
      let metrics = CountedMetrics {
        let holds = isArmed.withLock { isArmed in
          defer { isArmed = false }
          return isArmed
        }
        guard holds else { return }
        entered.settle(.success(()))
        gate.wait()
      }
      let inspector = try ObservedInspector(
        try await lab.connect("inspector"), trust: LabTrust(document.trust), recorder: recorder, metrics: metrics)
      try await inspector.run {
        // After a failure, too: the end of the inspector waits for what the gate holds.
        defer { gate.signal() }
        let connection = try await lab.connect("desk-1")
        let desk = MessageDesk(connection, try #require(DeskName("desk-1")))
        let begin = try await desk.begin()
        isArmed.withLock { $0 = true }
        let abandonment = try FleetCoding.encode(ReadMessage(abandoning: begin.session))
        try connection.publish(NATSMessage(subject: desk.subject(begin), payload: abandonment))
        try await entered.value
        for _ in 0..<1_500 { try connection.publish(NATSMessage(subject: desk.subject(begin), payload: abandonment)) }
        try await eventually { inspector.inspector.figures.dropped == 1_500 - 1_024 }
        #expect(metrics.errors("slowConsumer") == 1)
        #expect(
          inspector.log.all.filter { $0.hasPrefix("warning") } == [
            "warning: Messages come faster than they are taken, and some are dropped. "
              + "subject=tessera.read.*.\(inspector.inspector.identifier)"
          ])
        gate.signal()
        let reading = try await lab.desk("desk-2").read(document.source, try LabDocument.request(), mode: .witnessed)
        #expect(reading.outcome == .genuine && reading.attempts == 1)
        #expect(recorder.reads.map(\.readID) == [reading.readID])
      }
      // It is known after the end, too.
      #expect(inspector.inspector.figures.dropped == 1_500 - 1_024)
      #expect(inspector.problems.notPermitted == 0 && metrics.errors("notPermitted") == 0)
      await lab.stop()
    }

    @Test("an answer that the server refuses is logged and counted, and other desks' reads come out after it")
    func refusal() async throws {
      let (user, desks) = (try LabUser(), try LabUser())
      let servers = try await NATSServers.start(
        configuration: """
          authorization { users: [
            { nkey: \(user.publicKey), permissions { publish { deny: ["tessera.inbox.desk-1.>"] } } }
            { nkey: \(desks.publicKey) }
          ] }
          """)
      func connect(_ name: String, _ user: LabUser) async throws -> NATSConnection {
        var configuration = servers.configuration(name, credentials: user.credentials)
        configuration.inboxPrefix = FleetSubject.inbox(name)
        return try await NATSConnection.connect(configuration)
      }
      let document = try LabDocument(.bac)
      let recorder = LabRecorder()
      let inspector = try ObservedInspector(
        try await connect("inspector", user), trust: LabTrust(document.trust), recorder: recorder)
      try await inspector.run {
        let first = MessageDesk(try await connect("desk-1", desks), try #require(DeskName("desk-1")))
        let begin = Task { try await first.begin(within: .seconds(600)) }
        try await eventually { inspector.problems.notPermitted == 1 }
        begin.cancel()
        #expect(inspector.metrics.errors("notPermitted") == 1)
        try await eventually {
          inspector.log.count("warning: The server refused a publication or a subscription.") == 1
        }
        #expect(inspector.log.count("desk-1") == 0)

        let second = FleetDesk(connection: try await connect("desk-2", desks), name: try #require(DeskName("desk-2")))
        let reading = try await second.read(document.source, try LabDocument.request(), mode: .witnessed)
        #expect(reading.outcome == .genuine && reading.attempts == 1)
        #expect(recorder.reads.map(\.readID) == [reading.readID])
      }
      #expect(inspector.metrics.errors("slowConsumer") == 0 && inspector.inspector.figures.dropped == 0)
      await servers.stop()
    }
  }
}
