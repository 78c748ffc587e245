import Synchronization
import TesseraThreads
import TestSupport
import Testing

@Suite("RequestCoalescer")
struct RequestCoalescerTests {
  /// Ends when the test lets it. Counts its runs and cancellations.
  final class Job: Sendable {
    struct Counts: Equatable {
      var runs = 0
      var cancelled = 0
    }
    let counts = Mutex(Counts())

    /// - Parameter mayEnd: Whether it may end.
    func run(until mayEnd: @Sendable () -> Bool) async throws -> Int {
      let run = counts.withLock { counts in
        counts.runs += 1
        return counts.runs
      }
      do {
        try await eventually { mayEnd() }
      } catch {
        counts.withLock { $0.cancelled += 1 }
        throw error
      }
      return run
    }
  }

  @Test("runs an operation once for concurrent requests, and again for a later one")
  func once() async throws {
    let coalescer = RequestCoalescer<String, Int>()
    let job = Job()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 {
        group.addTask { try await coalescer.value("k") { try await job.run { coalescer.waitingCount("k") == 50 } } }
      }
      for try await value in group { #expect(value == 1) }
    }
    #expect(try await coalescer.value("k") { try await job.run { true } } == 2)
    #expect(job.counts.withLock { $0 } == Job.Counts(runs: 2))
  }

  @Test("cancelling one request keeps the operation running; cancelling the last one cancels it")
  func cancellation() async throws {
    let coalescer = RequestCoalescer<String, Int>()
    let job = Job()
    let mayEnd = Locked(false)
    let tasks = (0..<4).map { _ in
      Task { try await coalescer.value("k") { try await job.run { mayEnd.withLock { $0 } } } }
    }
    try await eventually { coalescer.waitingCount("k") >= 4 }
    for task in tasks.dropLast() { task.cancel() }
    for task in tasks.dropLast() { await #expect(throws: CancellationError.self) { try await task.value } }
    mayEnd.withLock { $0 = true }
    #expect(try await tasks[3].value == 1)

    let alone = Task { try await coalescer.value("k") { try await job.run { false } } }
    try await eventually { job.counts.withLock({ $0.runs }) >= 2 }
    alone.cancel()
    await #expect(throws: CancellationError.self) { try await alone.value }
    // The next request does not join the cancelled operation.
    let next = try await coalescer.value("k") { try await job.run { true } }
    #expect(next == 3)
    try await eventually { job.counts.withLock({ $0.cancelled }) != 0 }
    #expect(job.counts.withLock { $0 } == Job.Counts(runs: 3, cancelled: 1))
  }

  @Test("a task that is cancelled before its request does not start the operation")
  func early() async throws {
    let coalescer = RequestCoalescer<String, Int>()
    let job = Job()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await coalescer.value("k") { try await job.run { true } }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(job.counts.withLock { $0 } == Job.Counts())
  }
}
