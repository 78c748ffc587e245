import Synchronization
import TestSupport
import Testing
import Threads

@Suite("Work that several tasks wait for")
struct SharedWorkTests {
  /// Counts how often it runs, and how often it is cancelled.
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

  @Test("it is done once, and anew for who comes later")
  func once() async throws {
    let work = SharedWork<String, Int>()
    let job = Job()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await work.value("k", job.run) } }
      for try await value in group { #expect(value == 1) }
    }
    #expect(try await work.value("k", job.run) == 2)
    #expect(job.counts.withLock { $0 } == Job.Counts(runs: 2))
  }

  @Test("who leaves takes nothing from the others; when the last one leaves it ends")
  func cancellation() async throws {
    let work = SharedWork<String, Int>()
    let job = Job()
    let tasks = (0..<4).map { _ in Task { try await work.value("k", job.run) } }
    try await Task.sleep(for: .milliseconds(50))
    for task in tasks.dropLast() { task.cancel() }
    for task in tasks.dropLast() { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(try await tasks[3].value == 1)

    let alone = Task { try await work.value("k", job.run) }
    try await Task.sleep(for: .milliseconds(50))
    alone.cancel()
    // Who comes right after does not get the cancelled one.
    let next = try await work.value("k", job.run)
    await #expect(throws: CancellationError.self) { try await alone.value }
    #expect(next == 3)
    #expect(job.counts.withLock { $0 } == Job.Counts(runs: 3, cancelled: 1))
  }

  @Test("a task that is cancelled before it waits does not begin it")
  func early() async throws {
    let work = SharedWork<String, Int>()
    let job = Job()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await work.value("k", job.run)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(job.counts.withLock { $0 } == Job.Counts())
  }
}
