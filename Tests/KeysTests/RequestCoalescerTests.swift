import Synchronization
import TesseraThreads
import TestSupport
import Testing

@Suite("RequestCoalescer")
struct RequestCoalescerTests {
  /// Counts its runs and cancellations.
  final class Job: Sendable {
    struct Counts: Equatable {
      var runs = 0
      var cancelled = 0
    }
    let counts = Mutex(Counts())

    @Sendable func run() async throws -> Int {
      let run = counts.withLock { counts in
        counts.runs += 1
        return counts.runs
      }
      do {
        try await Task.sleep(for: .milliseconds(200))
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
      for _ in 0..<50 { group.addTask { try await coalescer.value("k", job.run) } }
      for try await value in group { #expect(value == 1) }
    }
    #expect(try await coalescer.value("k", job.run) == 2)
    #expect(job.counts.withLock { $0 } == Job.Counts(runs: 2))
  }

  @Test("cancelling one request keeps the operation running; cancelling the last one cancels it")
  func cancellation() async throws {
    let coalescer = RequestCoalescer<String, Int>()
    let job = Job()
    let tasks = (0..<4).map { _ in Task { try await coalescer.value("k", job.run) } }
    try await Task.sleep(for: .milliseconds(50))
    for task in tasks.dropLast() { task.cancel() }
    for task in tasks.dropLast() { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(try await tasks[3].value == 1)

    let alone = Task { try await coalescer.value("k", job.run) }
    try await Task.sleep(for: .milliseconds(50))
    alone.cancel()
    // The next request does not join the cancelled operation.
    let next = try await coalescer.value("k", job.run)
    await #expect(throws: CancellationError.self) { try await alone.value }
    #expect(next == 3)
    #expect(job.counts.withLock { $0 } == Job.Counts(runs: 3, cancelled: 1))
  }

  @Test("a task that is cancelled before its request does not start the operation")
  func early() async throws {
    let coalescer = RequestCoalescer<String, Int>()
    let job = Job()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await coalescer.value("k", job.run)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(job.counts.withLock { $0 } == Job.Counts())
  }
}
