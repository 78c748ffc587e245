import Dispatch
import Foundation
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraReaders
@testable import TesseraSmartCard

@Suite("Time limits and detached work")
struct TimeLimitTests {
  private struct Late: Error {}

  /// Does not return before `finish`, even if its task is cancelled.
  private final class Stuck: Sendable {
    private let end = FirstResult<Int>()
    private let begun = Locked(false)
    var hasBegun: Bool { begun.withLock { $0 } }
    func value() async throws -> Int {
      begun.withLock { $0 = true }
      return try await end.value
    }
    func finish() { end.settle(.success(7)) }
  }

  @Test("the first result counts")
  func first() async throws {
    let result = FirstResult<Int>()
    let calls = Locked(0)
    #expect(!result.isSettled)
    #expect(result.settle(.success(1)) { calls.withLock { $0 += 1 } })
    #expect(!result.settle(.failure(Late())) { calls.withLock { $0 += 1 } })
    #expect(try await result.value == 1)
    #expect(calls.withLock { $0 } == 1 && result.isSettled)
    result.whileUnsettled { Issue.record("it is settled") }
  }

  @Test("returns the result of work that ends in time, and its error")
  func inTime() async throws {
    #expect(try await withTimeLimit(.seconds(600)) { 3 } == 3)
    #expect(try await withTimeLimit(nil) { 4 } == 4)
    await #expect(throws: Late.self) { try await withTimeLimit(.seconds(600)) { throw Late() } }
  }

  @Test("detaches work that exceeds its time limit, and passes its late result on")
  func timeLimit() async throws {
    let (stuck, isDetached, clock) = (Stuck(), Locked(false), ManualClock())
    let (late, continuation) = AsyncStream.makeStream(of: Int.self)
    let wait = Task {
      try await withTimeLimit(
        .seconds(20), gracePeriod: .seconds(5), clock: clock, orThrow: Late(),
        onDetach: { isDetached.withLock { $0 = true } }, onLateResult: { continuation.yield($0) },
        { try await stuck.value() })
    }
    // Work that has not begun would be detached without a grace period.
    try await eventually { stuck.hasBegun }
    try await clock.advance(whenAwaited: .seconds(20))
    #expect(!isDetached.withLock { $0 })
    try await clock.advance(whenAwaited: .seconds(5))
    await #expect(throws: Late.self) { try await wait.value }
    #expect(isDetached.withLock { $0 })
    stuck.finish()
    #expect(await late.first { _ in true } == 7)
  }

  @Test("without a grace period, what the work does after its cancellation does not count")
  func noGracePeriod() async throws {
    // Work that takes its cancellation for success, such as an authentication that was dismissed.
    let clock = ManualClock()
    let dismissed: @Sendable () async -> Int = {
      try? await clock.sleep(for: .seconds(600))
      return 1
    }
    for turn in 0..<50 {
      let late = Task { try await withTimeLimit(.seconds(1), clock: clock, orThrow: Late(), dismissed) }
      try await clock.waits(3 * turn + 2)
      clock.advance(by: .seconds(1))
      await #expect(throws: Late.self) { try await late.value }
      try await clock.ends(3 * turn + 2)
      let waiting = Task { try await withTimeLimit(nil, dismissed) }
      try await clock.waits(3 * turn + 3)
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
  }

  @Test("throws what the work throws if it ends within the grace period")
  func gracePeriod() async throws {
    let (clock, hasBegun) = (ManualClock(), Locked(false))
    let wait = Task {
      try await withTimeLimit(.seconds(20), gracePeriod: .seconds(600), clock: clock, orThrow: Late()) {
        hasBegun.withLock { $0 = true }
        try await untilCancelled()
      }
    }
    try await eventually { hasBegun.withLock { $0 } }
    try await clock.advance(whenAwaited: .seconds(20))
    await #expect(throws: CancellationError.self) { try await wait.value }
  }

  @Test("detaches work whose caller is cancelled", arguments: [Duration.zero, .milliseconds(20)])
  func cancellation(_ gracePeriod: Duration) async throws {
    let (stuck, hasBegun, clock) = (Stuck(), Locked(false), ManualClock())
    let wait = Task {
      try await withTimeLimit(.seconds(600), gracePeriod: gracePeriod, clock: clock, orThrow: Late()) {
        hasBegun.withLock { $0 = true }
        return try await stuck.value()
      }
    }
    while !hasBegun.withLock({ $0 }) { await Task.yield() }
    wait.cancel()
    if gracePeriod > .zero { try await clock.advance(whenAwaited: gracePeriod) }
    await #expect(throws: CancellationError.self) { try await wait.value }
    stuck.finish()
  }

  @Test("does not start work in a task that is already cancelled")
  func cancelledBefore() async throws {
    let wait = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = try await withTimeLimit(nil) { Issue.record("it was started") }
    }
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
  }

  @Test("detached work does not hold up its caller, and is detached once")
  func detached() async throws {
    let (stuck, work) = (Stuck(), DetachedWork<Int>())
    let wait = Task { try await work.value { try await stuck.value() } }
    while !work.hasBegun { await Task.yield() }
    #expect(work.detach() && !work.detach() && work.isDetached)
    await #expect(throws: CancellationError.self) { try await wait.value }
    stuck.finish()
  }

  @Test("does not start work that was detached before")
  func detachedBefore() async throws {
    let work = DetachedWork<Int>()
    #expect(work.detach())
    await #expect(throws: CancellationError.self) {
      try await work.value {
        Issue.record("it was started")
        return 0
      }
    }
    #expect(!work.hasBegun)
  }

  @Test("one watchdog ends the command that gets no answer, and none before")
  func watchdog() async throws {
    let clock = ManualClock()
    let watchdog = AnswerWatchdog(limit: .seconds(3), clock: clock)
    // Together longer than the limit.
    for _ in 0..<12 {
      let answer = FirstResult<[UInt8]>()
      watchdog.begin(answer)
      clock.advance(by: .milliseconds(2_900))
      watchdog.end(answer)
      #expect(answer.settle(.success([])))
    }
    // The timer ends with no command in flight.
    clock.advance(by: .seconds(3))
    try await eventually("The end of the timer") { clock.isIdle }
    #expect(!watchdog.isStuck)
    let mute = FirstResult<[UInt8]>()
    watchdog.begin(mute)
    watchdog.stop()
    try await clock.advance(whenAwaited: .seconds(3))
    await #expect(throws: CardError.mute) { try await mute.value }
    #expect(watchdog.isStuck)
  }
}
