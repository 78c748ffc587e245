import Foundation
import PassportTestSupport
import TesseraCore
import TesseraNATS
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("The status over the servers", .timeLimit(.minutes(15))) struct FleetStatusGatheringTests {
    private struct Figures: FleetFigures {
      var ledger = ReadLedger()
      var spool = SpoolFigures()
      var trust = TrustFigures()

      func inspectorFigures() async -> InspectorFigures { ledger.figures }
      func spoolFigures() async -> SpoolFigures { spool }
      func trustFigures() async -> TrustFigures { trust }
    }

    /// Starts to answer, and waits until the server knows it.
    private static func respond(_ connection: NATSConnection, _ figures: Figures) async throws -> Task<Void, any Error>
    {
      let ready = FirstResult<Void>()
      let responder = StatusResponder(connection, inspector: try .random(), figures: figures)
      let task = Task {
        do {
          try await responder.run { ready.settle(.success(())) }
        } catch {
          ready.settle(.failure(error))
          throw error
        }
      }
      try await ready.value
      try await connection.flush(within: .seconds(60))
      return task
    }

    /// Asks again until the condition holds: an answer may come later than the first question waits.
    private static func status(
      _ lab: FleetTrustLab, until condition: (FleetStatus) -> Bool
    ) async throws -> FleetStatus {
      let end = ContinuousClock.now + .seconds(120)
      while true {
        let status = try await FleetStatus.gather(lab.administrator, within: .milliseconds(300))
        if condition(status) || ContinuousClock.now > end { return status }
      }
    }

    @Test("Inspectors, the record's stream and the certificates' version") func gathering() async throws {
      try await FleetTrustLab.run { lab in
        let empty = try await FleetStatus.gather(lab.administrator, within: .milliseconds(100))
        var expected = FleetStatus(inspectors: [])
        expected.lacksRecord = true
        #expect(empty == expected)

        let authority = try TestAuthority()
        let version = try await lab.bucket.publish([TrustFileBytes(name: "UT.cer", bytes: authority.certificate.der)])
          .version
        let streams = JetStream(lab.administrator)
        try await streams.createStream(
          StreamConfiguration(name: "TESSERA_RECORD", subjects: ["tessera.record.*.*"], replicas: 1))
        _ = try await JetStream(lab.inspector).publish("tessera.record.d1.r", Array("{}".utf8))

        var first = Figures()
        first.spool = SpoolFigures(records: 2, oldest: 70)
        first.trust = TrustFigures(version: version - 1, problem: "changed")
        let desk = try #require(DeskName("d1"))
        first.ledger.began(desk, software: "0.0.1")
        first.ledger.finished(desk, outcome: "genuine")
        first.ledger.began(desk, software: "0.0.1")
        var second = Figures()
        second.trust = TrustFigures(version: version)
        let tasks = [try await Self.respond(lab.inspector, first), try await Self.respond(lab.inspector, second)]

        let status = try await Self.status(lab) { $0.inspectors.count == 2 }
        #expect(status.inspectors.count == 2 && status.unreadable == 0 && status.trustVersion == version)
        let lagging = try #require(status.inspectors.first(where: status.lags))
        #expect(lagging.trustVersion == version - 1 && lagging.trustProblem == "changed")
        #expect(lagging.spooled == 2 && lagging.oldestSpooled == 70 && lagging.underWay == 1)
        #expect(lagging.software == TesseraVersion.current && lagging.reads == ["genuine": 1])
        #expect(status.inspectors.filter(status.lags).count == 1)
        #expect(status.desks.map(\.name) == ["d1"] && status.desks.map(\.reads) == [1])
        let record = try #require(status.record)
        #expect(record.messages == 1 && record.bytes > 0 && record.replicas == 1 && record.lagging == 0)
        let age = try #require(record.last).timeIntervalSinceNow
        #expect(record.first == record.last && abs(age) < 3600)
        #expect(status.text().contains("Record        1 messages"))

        for task in tasks { task.cancel() }
        for task in tasks {
          await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try await Self.status(lab) { $0.inspectors.isEmpty }.inspectors == [])
      }
    }

    @Test("Answers that cannot be decoded are counted, and two of one inspector are one") func strangeAnswers()
      async throws
    {
      try await FleetTrustLab.run { lab in
        let inspector = try FleetIdentifier.random()
        let status = InspectorStatus(
          inspector: inspector, uptime: .seconds(1), figures: InspectorFigures(), spool: SpoolFigures(),
          trust: TrustFigures()
        )
        let answers = [
          try FleetCoding.encode(status), try FleetCoding.encode(status), Array(#"{"version":9}"#.utf8), [],
          [UInt8](repeating: 0x20, count: 500_000),
        ]
        let subscription = try lab.inspector.subscribe(FleetSubject.ping) { [connection = lab.inspector] question in
          for answer in answers { try? connection.respond(to: question, answer) }
        }
        try await lab.inspector.flush(within: .seconds(60))
        let gathered = try await Self.status(lab) { $0.unreadable == 3 }
        #expect(gathered.unreadable == 3 && gathered.inspectors == [status])
        subscription.cancel()
      }
    }
  }
}
