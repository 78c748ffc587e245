internal import ArgumentParser
import Dispatch
import Glibc
import Synchronization

/// Makes SIGINT and SIGTERM cancel a task, so that it releases the card. A second signal, or a task that does not end
/// within a second, ends the process immediately.
package enum Interruption {
  private struct State {
    var signalNumber: Int32 = 0
    /// Cancels the current task; nil if there is none.
    var cancel: (@Sendable () -> Void)?
    /// Receives each signal instead; nil if the signals are for this process.
    var forward: (@Sendable (Int32) -> Void)?
    /// Restores the terminal.
    var restore: (@Sendable () -> Void)?
  }
  private static let state = Mutex(State())

  /// Calls a function before the process ends by a signal, to restore the terminal; nil for none.
  package static func atExit(_ restore: (@Sendable () -> Void)?) { state.withLock { $0.restore = restore } }

  private static func exit(by number: Int32) {
    if let restore = state.withLock({ $0.restore }) {
      // A terminal that accepts no output, such as one after Ctrl-S, must not keep the process alive.
      let isRestored = DispatchSemaphore(value: 0)
      DispatchQueue(label: "terminal").async {
        restore()
        isRestored.signal()
      }
      _ = isRestored.wait(timeout: .now() + .milliseconds(200))
    }
    ProcessExit.bySignal(number)
  }

  /// The first signal received; 0 without one.
  package static var signalNumber: Int32 { state.withLock { $0.signalNumber } }

  /// Tells of a signal that another handler of this process has received, and that ends it: see `ProcessExit.now`.
  package static func note(_ number: Int32) { state.withLock { $0.signalNumber = number } }

  /// Ends a command that runs until a signal and has cleaned up. SIGTERM is its regular end, as that of a service.
  ///
  /// - Parameter number: the signal; nil or 0 if there was none.
  /// - Throws: `ExitCode` after SIGINT: see `ProcessExit.now`.
  package static func endRegularly(after number: Int32?) throws {
    guard number == SIGINT else { return }
    note(SIGINT)
    throw ExitCode(128 + SIGINT)
  }

  package static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    _ = isListening
    // A signal that arrives before the cancellation is known would end the process at once, in the midst of the task.
    let task = state.withLock { state in
      let task = Task { try await body() }
      state.cancel = { task.cancel() }
      return task
    }
    defer { state.withLock { $0.cancel = nil } }
    return try await task.value
  }

  /// Runs a body that waits for another program: each SIGINT and SIGTERM goes to `forward`, which passes it on. It
  /// neither cancels the task nor ends this process, since the program may need time to end.
  package static func forwarding<Result: Sendable>(
    to forward: @escaping @Sendable (Int32) -> Void, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    _ = isListening
    state.withLock { $0.forward = forward }
    defer { state.withLock { $0.forward = nil } }
    return try await body()
  }

  /// One source per signal for the lifetime of the process: on Linux, libdispatch does not deliver a signal to a source
  /// that is created after another one for that signal was cancelled.
  private static let isListening: Bool = {
    // Not a global queue: all of its threads may be blocked.
    let queue = DispatchQueue(label: "signals")
    let isRegistered = DispatchSemaphore(value: 0)
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { withExtendedLifetime(source) { received(number, queue) } }
      source.setRegistrationHandler { isRegistered.signal() }
      source.resume()
      // Another thread registers the source. A signal that arrives before would be ignored.
      isRegistered.wait()
    }
    return true
  }()

  private static func received(_ number: Int32, _ queue: DispatchQueue) {
    let forward = state.withLock { state in
      if state.forward != nil { state.signalNumber = number }
      return state.forward
    }
    if let forward { return forward(number) }
    let cancel = state.withLock { state in
      defer { state.signalNumber = number }
      return state.signalNumber == 0 ? state.cancel : nil
    }
    guard let cancel else { return exit(by: number) }
    cancel()
    // A call into a hanging reader driver cannot be interrupted. pcscd releases the card of a client that exits.
    queue.asyncAfter(deadline: .now() + 1) {
      if state.withLock({ $0.cancel != nil }) { exit(by: number) }
    }
  }
}
