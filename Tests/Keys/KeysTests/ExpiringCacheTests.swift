import TesseraThreads
import TestSupport
import Testing

@Suite("ExpiringCache")
struct ExpiringCacheTests {
  final class Value: Sendable {}

  actor Getter {
    private(set) var count = 0
    func get() async throws -> Value {
      count += 1
      await Task.yield()
      return Value()
    }
  }

  @Test("loads a value once, also for tasks that request it just when it arrives")
  func arrival() async throws {
    let cache = ExpiringCache<Int, Value>(lifetime: .seconds(600))
    let count = Locked(0)
    for key in 0..<2_000 {
      try await withThrowingTaskGroup { group in
        for turn in 0..<8 {
          group.addTask {
            for _ in 0..<turn { await Task.yield() }
            _ = try await cache.value(key) {
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
    cache.remove { _ in true }
  }

  @Test("loads a value once, keeps it while it is used, and evicts it afterwards")
  func lifetime() async throws {
    let clock = ManualClock()
    let cache = ExpiringCache<Int, Value>(lifetime: .milliseconds(40), clock: clock)
    let getter = Getter()
    await #expect(throws: Never.self) {
      try await withThrowingTaskGroup { group in
        for _ in 0..<32 { group.addTask { _ = try await cache.value(1) { try await getter.get() } } }
        try await group.waitForAll()
      }
    }
    #expect(await getter.count == 1)
    weak let value = cache.cached(1)
    #expect(value != nil)
    // From its insertion on, the cache waits for the end of the value's lifetime.
    try await clock.waits(1)
    #expect(clock.waits == [.milliseconds(40)])
    for _ in 0..<20 {
      clock.advance(by: .milliseconds(30))
      #expect(cache.cached(1) != nil)
    }
    clock.advance(by: .milliseconds(39))
    #expect(value != nil)
    clock.advance(by: .milliseconds(1))
    try await eventually("The eviction") { value == nil }
    #expect(cache.cached(1) == nil)
    _ = try await cache.value(1) { try await getter.get() }
    #expect(await getter.count == 2)
    cache.remove { $0 == 1 }
    #expect(cache.cached(1) == nil)
  }
}
