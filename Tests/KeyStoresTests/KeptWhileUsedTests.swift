import Testing
import Threads

@Suite("Values that are kept while they are used")
struct KeptWhileUsedTests {
  final class Value: Sendable {}

  actor Getter {
    private(set) var count = 0
    func get() async throws -> Value {
      count += 1
      try await Task.sleep(for: .milliseconds(10))
      return Value()
    }
  }

  /// Time goes on when a test says so.
  final class HandClock: Sendable {
    private let instant = Locked(ContinuousClock.now)
    var now: ContinuousClock.Instant { instant.withLock { $0 } }
    func advance(by duration: Duration) { instant.withLock { $0 += duration } }
  }

  @Test("are got once by those, too, who ask in the moment in which they come")
  func arrival() async throws {
    let kept = KeptWhileUsed<Int, Value>(lifetime: .seconds(600))
    let count = Locked(0)
    for key in 0..<2_000 {
      try await withThrowingTaskGroup { group in
        for turn in 0..<8 {
          group.addTask {
            for _ in 0..<turn { await Task.yield() }
            _ = try await kept.value(key) {
              count.withLock { $0 += 1 }
              await Task.yield()
              return Value()
            }
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(count.withLock { $0 } == 2_000)
    kept.forget { _ in true }
  }

  @Test("are got once, kept as long as somebody uses them, and let go after that")
  func lifetime() async throws {
    let clock = HandClock()
    let kept = KeptWhileUsed<Int, Value>(lifetime: .milliseconds(40)) { clock.now }
    let getter = Getter()
    await #expect(throws: Never.self) {
      try await withThrowingTaskGroup { group in
        for _ in 0..<32 { group.addTask { _ = try await kept.value(1) { try await getter.get() } } }
        try await group.waitForAll()
      }
    }
    #expect(await getter.count == 1)
    weak let value = kept.kept(1)
    #expect(value != nil)
    for _ in 0..<20 {
      clock.advance(by: .milliseconds(30))
      try await Task.sleep(for: .milliseconds(20))
      #expect(kept.kept(1) != nil)
    }
    clock.advance(by: .milliseconds(41))
    for _ in 0..<1000 where value != nil { try await Task.sleep(for: .milliseconds(20)) }
    #expect(value == nil)
    #expect(kept.kept(1) == nil)
    _ = try await kept.value(1) { try await getter.get() }
    #expect(await getter.count == 2)
    kept.forget { $0 == 1 }
    #expect(kept.kept(1) == nil)
  }
}
