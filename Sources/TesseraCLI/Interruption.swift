import Dispatch
import Foundation
import Synchronization

/// Lets Ctrl-C and SIGTERM cancel a task, so that a card is given back and a reader left usable. Should that
/// not get through within a second, or come twice, the program ends the hard way.
enum Interruption {
  private struct State {
    var signalNumber: Int32 = 0
    /// Cancels the work of now; nil where there is none to be cancelled.
    var cancel: (@Sendable () -> Void)?
  }
  private static let state = Mutex(State())

  /// The signal that ended the work; 0 where none did.
  static var signalNumber: Int32 { state.withLock { $0.signalNumber } }

  static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    _ = isListening
    let task = Task { try await body() }
    state.withLock { $0.cancel = { task.cancel() } }
    defer { state.withLock { $0.cancel = nil } }
    return try await task.value
  }

  /// One source a signal until the program ends: a second one, made where a first was cancelled, hears nothing (libdispatch
  /// on Linux), and its signal is ignored.
  private static let isListening: Bool = {
    // Not a queue of the pool, all of whose threads may be waiting for something.
    let queue = DispatchQueue(label: "signals")
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { withExtendedLifetime(source) { received(number, queue) } }
      source.resume()
    }
    return true
  }()

  private static func received(_ number: Int32, _ queue: DispatchQueue) {
    let cancel = state.withLock { state in
      defer { state.signalNumber = number }
      return state.signalNumber == 0 ? state.cancel : nil
    }
    guard let cancel else { _exit(128 + number) }
    cancel()
    // A reader's driver that hangs cannot be woken; the service cleans up after a client that is gone.
    queue.asyncAfter(deadline: .now() + 1) {
      if state.withLock({ $0.cancel != nil }) { _exit(128 + number) }
    }
  }
}
