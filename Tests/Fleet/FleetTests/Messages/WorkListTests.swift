import TesseraThreads
import TestSupport
import Testing

@testable import TesseraFleet

@Suite("Requests under way at an inspector")
struct WorkListTests {
  @Test("one desk has a bounded number of requests, and all desks together; all are cancelled together")
  func bounds() async throws {
    var limits = FleetLimits()
    limits.reads = 3
    limits.readsPerDesk = 2
    let work = WorkList(limits)
    let cancelled = Locked(0)
    func begin(_ desk: String) throws -> Bool {
      work.begin(of: try #require(DeskName(desk))) {
        if (try? await untilCancelled()) == nil { cancelled.withLock { $0 += 1 } }
      }
    }
    #expect(try (0..<6).map { _ in try begin("a") } == [true, true, true, true, false, false])
    #expect(try begin("b"))
    #expect(try begin("c"))
    #expect(try !begin("d"))
    await work.cancelAll()
    #expect(cancelled.withLock { $0 } == 6)
    // There is room again.
    #expect(try begin("a"))
    await work.cancelAll()
  }
}
