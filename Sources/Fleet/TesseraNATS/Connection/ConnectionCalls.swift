internal import CTesseraNATS
internal import Dispatch
internal import TesseraThreads

/// The calls that wait for the thread of a connection, in their order.
final class ConnectionCalls: Sendable {
  typealias Call = @Sendable () -> Void

  private struct State {
    var calls: [UInt64: (call: Call, bytes: Int)] = [:]
    var bytes = 0
    /// The number of the call that runs next, if it was not withdrawn.
    var next: UInt64 = 0
    /// The number of the call that is added next.
    var end: UInt64 = 0
    /// Whether the thread waits for a signal.
    var isIdle = false
    var isStopped = false

    mutating func remove(_ number: UInt64) -> Call? {
      guard let (call, bytes) = calls.removeValue(forKey: number) else { return nil }
      self.bytes -= bytes
      // What many calls needed is not kept.
      if calls.isEmpty, calls.capacity > 1024 { calls = [:] }
      return call
    }

    mutating func removeFirst() -> Call? {
      while next < end {
        defer { next += 1 }
        if let call = remove(next) { return call }
      }
      return nil
    }
  }
  private let state = Locked(State())
  private let signal = DispatchSemaphore(value: 0)
  private let limit: Int

  /// What may wait: as much as for the handler of a subscription.
  static let maximumBytes = SubscriptionQueue.maximumBytes
  /// About what a call takes besides the bytes of its message.
  static let bytesPerCall = 512

  init(_ limit: Int) { self.limit = limit }

  /// The calls that have not begun, and their bytes.
  var waiting: (count: Int, bytes: Int) { state.withLock { ($0.calls.count, $0.bytes) } }

  /// - Returns: The number of the call; nil if it was refused, since others wait and the bytes would be too many.
  func add(bytes: Int, isRefusable: Bool, _ call: @escaping Call) -> UInt64? {
    let (number, wakes) = state.withLock { state -> (UInt64?, Bool) in
      let bytes = bytes + Self.bytesPerCall
      guard !isRefusable || state.calls.isEmpty || state.bytes + bytes <= limit else { return (nil, false) }
      let number = state.end
      state.end += 1
      state.calls[number] = (call, bytes)
      state.bytes += bytes
      defer { state.isIdle = false }
      return (number, state.isIdle)
    }
    if wakes { signal.signal() }
    return number
  }

  /// Forgets a call that has not begun.
  func withdraw(_ number: UInt64) {
    let call = state.withLock { $0.remove(number) }
    // Not under the lock: this can be the last reference to a connection.
    withExtendedLifetime(call) {}
  }

  func stop() {
    let wakes = state.withLock { state in
      state.isStopped = true
      defer { state.isIdle = false }
      return state.isIdle
    }
    if wakes { signal.signal() }
  }

  /// Runs the calls until there are none after `stop()`.
  func runAll() {
    while true {
      let (call, isStopped) = state.withLock { state -> (Call?, Bool) in
        if let call = state.removeFirst() { return (call, false) }
        state.isIdle = !state.isStopped
        return (nil, state.isStopped)
      }
      if let call {
        call()
      } else if isStopped {
        return
      } else {
        signal.wait()
      }
    }
  }
}

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
