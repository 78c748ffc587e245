import Foundation

/// Runs async work to its end on the calling thread.
///
/// `@unchecked Sendable`: the state is accessed under the lock of `condition` only.
final class CallingThread: TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []
  private var isDone = false
  private let condition = NSCondition()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      condition.signal()
    }
  }

  static func run(_ work: @escaping @Sendable () async -> Void) {
    let thread = CallingThread()
    Task(executorPreference: thread) {
      await work()
      thread.finish()
    }
    while let job = thread.next() { job.runSynchronously(on: thread.asUnownedTaskExecutor()) }
  }

  private func finish() {
    condition.withLock {
      isDone = true
      condition.signal()
    }
  }

  private func next() -> UnownedJob? {
    condition.withLock {
      while jobs.isEmpty, !isDone { condition.wait() }
      return jobs.isEmpty ? nil : jobs.removeFirst()
    }
  }
}
