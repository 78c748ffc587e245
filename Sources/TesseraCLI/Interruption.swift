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
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        signal(number, SIG_DFL)
        signalNumber.withLock { $0 = number }
        task.cancel()
        // A reader's driver that hangs cannot be woken; the service cleans up after a client that is gone.
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { _exit(128 + number) }
      }
      source.resume()
      return source
    }
    defer {
      for source in sources { source.cancel() }
      for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
    return try await task.value
  }
}
