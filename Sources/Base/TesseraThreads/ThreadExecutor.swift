internal import CTesseraThreads
import Dispatch
import Glibc

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

/// A thread for one call, which the system releases when the call has returned.
package enum DetachedThread {
  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Runs `body` on a new thread.
  ///
  /// - Parameters:
  ///   - name: The name in `ps` and debuggers. The kernel stores its first 15 bytes.
  ///   - stackSize: In bytes; 0 for the system's default.
  ///   - waits: Whether to wait while the system has reached its limit of threads.
  /// - Returns: False if the thread was not started; then `body` never runs.
  @discardableResult
  package static func start(
    name: String, stackSize: Int = 0, waits: Bool = true, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    while true {
      let error = tessera_start_thread(stackSize, DetachedThread.run, start.toOpaque())
      if error == 0 { return true }
      guard waits, error == EAGAIN else {
        start.release()
        return false
      }
      usleep(10_000)
    }
  }

  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { start in
    guard let start else { return nil }
    let call = Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
    // The kernel refuses a longer name.
    tessera_name_thread(String(decoding: call.name.utf8.prefix(15), as: UTF8.self))
    call.body()
    return nil
  }
}
