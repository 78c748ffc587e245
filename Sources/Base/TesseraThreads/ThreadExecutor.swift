import Dispatch

/// An executor that runs an actor's jobs on a dedicated thread, so that a C call may block there. The actor returns it
/// as its `unownedExecutor` and stops it in `deinit`. The thread starts with the first job.
package final class ThreadExecutor: SerialExecutor {
  private struct State {
    var queue: [UnownedJob] = []
    var started = false
    var stopped = false
  }
  private let state = Locked(State())
  private let available = DispatchSemaphore(value: 0)
  private let name: String

  package init(name: String) { self.name = name }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = state.withLock { state in
      state.queue.append(job)
      defer { state.started = true }
      return !state.started
    }
    if isFirst { start() }
    available.signal()
  }

  /// Ends the thread once all enqueued jobs have run. The thread keeps the executor alive until then.
  package func stop() {
    state.withLock { $0.stopped = true }
    available.signal()
  }

  private func start() {
    DetachedThread.start(name: name) { [self] in run() }
  }

  private func run() {
    while true {
      available.wait()
      let (job, stopped) = state.withLock { state in
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
