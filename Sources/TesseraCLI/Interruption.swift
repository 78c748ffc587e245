import Dispatch
import Foundation
import Synchronization

/// Lets Ctrl-C and SIGTERM cancel a task, so that a card is given back and a reader left usable. Should that
/// not get through within a second, the program ends the hard way.
enum Interruption {
  /// The signal that ended the work; 0 where none did.
  static let signalNumber = Mutex<Int32>(0)

  static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await body() }
    // A reader's driver that hangs cannot be woken; the service cleans up after a client that is gone.
    let hardEnd = DispatchWorkItem { _exit(128 + signalNumber.withLock { $0 }) }
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        signal(number, SIG_DFL)
        signalNumber.withLock { $0 = number }
        task.cancel()
        DispatchQueue.global().asyncAfter(deadline: .now() + 1, execute: hardEnd)
      }
      source.resume()
      return source
    }
    defer {
      hardEnd.cancel()
      for source in sources { source.cancel() }
      for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
    return try await task.value
  }
}
