internal import CTesseraNATS
internal import TesseraThreads

/// The thread of one connection for the calls of libnats that need the connection's lock.
///
/// libnats holds this lock while it writes to the socket. If the server does not read, the call that writes waits until
/// the write deadline, and so does every other call that needs the lock. On a thread that runs tasks, two of them would
/// stop all tasks of a machine with two cores.
final class ConnectionThread: Sendable {
  private let calls: ConnectionCalls

  init(_ limit: Int = ConnectionCalls.maximumBytes) {
    let calls = ConnectionCalls(limit)
    self.calls = calls
    // The thread does not refer to this object, whose end is the end of the thread.
    DetachedThread.start(name: "NATS calls") {
      calls.runAll()
      nats_ReleaseThreadMemory()
    }
  }

  /// The calls that were added still run.
  deinit { calls.stop() }

  /// Adds a call, which runs after all that were added before. Returns at once.
  ///
  /// - Parameter bytes: what the call holds in memory.
  /// - Returns: The number of the call, for `withdraw(_:)`.
  /// - Throws: `NATSError.congested` if too many bytes wait.
  @discardableResult
  func add(bytes: Int, _ call: @escaping @Sendable () -> Void) throws(NATSError) -> UInt64 {
    guard let number = calls.add(bytes: bytes, isRefusable: true, call) else { throw .congested }
    return number
  }

  /// Adds a call that gives back what an earlier one has taken, so that it is never refused.
  func addRelease(_ call: @escaping @Sendable () -> Void) {
    _ = calls.add(bytes: 0, isRefusable: false, call)
  }

  /// Forgets a call that has not begun.
  func withdraw(_ number: UInt64) { calls.withdraw(number) }

  /// The calls that have not begun, and their bytes.
  var waiting: (count: Int, bytes: Int) { calls.waiting }

  /// Waits until all calls that were added before have returned.
  func awaitEarlierCalls() async {
    await withCheckedContinuation { continuation in addRelease { continuation.resume() } }
  }
}
