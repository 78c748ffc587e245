import Dispatch
import Foundation

/// Runs an actor's jobs on one thread of its own, so that a C call may block there without holding up anybody
/// else. An actor takes it as its `unownedExecutor` and stops it in `deinit`.
public final class ThreadExecutor: SerialExecutor {
  private let jobs = Locked<(queue: [UnownedJob], stopped: Bool)>(([], false))
  private let available = DispatchSemaphore(value: 0)

  public init(name: String) {
    let thread = Thread { [self] in run() }
    thread.name = name
    thread.start()
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.queue.append(job) }
    available.signal()
  }

  /// Ends the thread once all enqueued jobs have run. The thread keeps the executor alive until then.
  public func stop() {
    jobs.withLock { $0.stopped = true }
    available.signal()
  }

  private func run() {
    while true {
      available.wait()
      let (job, stopped) = jobs.withLock { state in
        (state.queue.isEmpty ? nil : state.queue.removeFirst(), state.stopped)
      }
      if let job {
        job.runSynchronously(on: asUnownedSerialExecutor())
      } else if stopped {
        return
      }
    }
  }
}
