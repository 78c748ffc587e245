import TesseraThreads
import Testing

@testable import TesseraFleet

@Suite("What an inspector counts") struct FleetStatusLedgerTests {
  /// A clock that stands still until it is moved.
  private final class TestClock: Sendable {
    private let start = ContinuousClock.now
    private let offset = Locked(Duration.zero)

    func advance(_ seconds: Int) { offset.withLock { $0 += .seconds(seconds) } }

    var now: ContinuousClock.Instant { start + offset.withLock { $0 } }
  }

  private static func desk(_ name: String) throws -> DeskName { try #require(DeskName(name)) }

  @Test("Reads, outcomes, ages and versions of desks") func counts() throws {
    let clock = TestClock()
    let ledger = ReadLedger { clock.now }
    ledger.began(try Self.desk("a"), software: "0.1.0")
    clock.advance(60)
    ledger.began(try Self.desk("b"), software: "0.2.0")
    ledger.began(try Self.desk("a"), software: "0.3.0")
    ledger.finished(try Self.desk("a"), outcome: "genuine")
    ledger.finished(try Self.desk("b"), outcome: "timeLimit")
    clock.advance(5)
    ledger.began(try Self.desk("b"), software: "0.2.0")
    var figures = InspectorFigures()
    figures.reads = ["genuine": 1, "timeLimit": 1]
    figures.underWay = 2
    figures.desks = [
      DeskFigures(desk: "b", software: "0.2.0", reads: 1, age: 0),
      DeskFigures(desk: "a", software: "0.3.0", reads: 1, age: 5),
    ]
    #expect(ledger.figures == figures)
    // A day later nothing is left of the desks.
    clock.advance(24 * 3600 - 1)
    #expect(ledger.figures.desks.map(\.desk) == ["b"])
    clock.advance(1)
    #expect(ledger.figures.desks == [] && ledger.figures.reads == figures.reads)
  }

  @Test("Neither desks nor outcomes nor versions take memory without limit") func bounds() throws {
    let clock = TestClock()
    let ledger = ReadLedger { clock.now }
    for number in 0..<ReadLedger.maximumDesks + 10 {
      clock.advance(1)
      ledger.began(try Self.desk("d\(number)"), software: String(repeating: "x", count: 10_000))
      ledger.finished(try Self.desk("d\(number)"), outcome: "outcome \(number)")
    }
    let figures = ledger.figures
    #expect(figures.desks.count == 512 && figures.furtherDesks == ReadLedger.maximumDesks - 512)
    #expect(figures.desks.first?.desk == "d4105" && figures.desks.allSatisfy { $0.software.count == 64 })
    #expect(figures.reads.count == 32 && figures.reads["other"] == 4106 - 31)
    #expect(figures.underWay == 0)
    // The oldest are forgotten first.
    clock.advance(1)
    ledger.began(try Self.desk("d9"), software: "1")
    ledger.finished(try Self.desk("d9"), outcome: "genuine")
    #expect(ledger.figures.desks.first == DeskFigures(desk: "d9", software: "1", reads: 1, age: 0))
    // An answer with all of it is within its limit.
    let status = InspectorStatus(
      inspector: try .random(), uptime: .seconds(1), figures: figures, spool: SpoolFigures(), trust: TrustFigures())
    let bytes = try FleetCoding.encode(status)
    #expect(bytes.count <= InspectorStatus.maximumSize)
    #expect(try InspectorStatus(bytes) == status)
  }
}
