import TesseraThreads

/// Gives one connection at a time access to a device that can do one scan. A scan is answered when it ends or is
/// stopped, whichever comes first. The device becomes available when the provider has returned: shortly after a stop,
/// or when a driver that hangs returns.
///
/// A second scan is refused: with `alreadyScanning` for the connection whose scan is running, with `busy` for every
/// other, if the first one does not end soon. Only the connection that started a scan can stop it.
final class ScanCoordinator<Value: Sendable>: Sendable {
  private final class Scan: Sendable {
    let connection: BridgeConnection
    let work = DetachedWork<Value>()
    /// Stops the provider after the scan was detached.
    let stopProvider: @Sendable () async -> Void
    let stopping = Locked<Task<Void, Never>?>(nil)
    let hasTimedOut = Locked(false)
    /// While it waits for the device.
    private let turn = Locked<AsyncStream<Void>.Continuation?>(nil)

    init(_ connection: BridgeConnection, _ stopProvider: @escaping @Sendable () async -> Void) {
      self.connection = connection
      self.stopProvider = stopProvider
    }

    /// Ends when the device may be free, or when this scan is stopped: from now on.
    func nextTurn() -> AsyncStream<Void> {
      AsyncStream { continuation in turn.withLock { $0 = continuation } }
    }

    func signal() { turn.withLock { $0 }?.finish() }
  }

  private struct State {
    /// The scan that uses the device.
    var current: Scan?
    /// Scans that wait until another one releases the device.
    var waiting: [Scan] = []
  }
  private let state = Locked(State())
  private let gracePeriod: Duration
  private let handoverTime: Duration
  private let clock: any MonotonicClock

  /// - Parameters:
  ///   - gracePeriod: how long a new scan waits for a stopped one to release the device.
  ///   - handoverTime: how long it waits for the scan of another connection, which may be about to be stopped: a page that is
  ///     loaded again may ask over its new connection before the end of the old one is noticed.
  ///   - clock: measures the grace period and the time limits of the scans.
  init(
    gracePeriod: Duration = .seconds(5), handoverTime: Duration = .milliseconds(500),
    clock: any MonotonicClock = ContinuousClock()
  ) {
    self.gracePeriod = gracePeriod
    self.handoverTime = handoverTime
    self.clock = clock
  }

  /// Runs one scan.
  ///
  /// - Parameters:
  ///   - limit: the longest time that the scan may take; nil for no limit.
  ///   - stop: stops the provider after the scan was stopped. No other scan begins before it returns.
  ///   - body: the scan. Its parameter runs a closure, unless the scan was already answered.
  /// - Throws: `ScanRefusal`; `CancellationError` if the scan was stopped or the task was cancelled; the errors of
  ///   `body`.
  func scan(
    over connection: BridgeConnection, within limit: Duration? = nil, stop: @escaping @Sendable () async -> Void,
    _ body: @escaping @Sendable (@escaping @Sendable (() -> Void) -> Void) async throws -> Value
  ) async throws -> Value {
    let scan = Scan(connection, stop)
    try await acquireDevice(for: scan)
    defer { if !scan.work.hasBegun { releaseDevice(of: scan) } }
    // The time runs from here on, however late the task begins.
    let timer = limit.map { clock.now + $0 }.map { deadline in
      Task {
        try await clock.sleep(until: deadline, tolerance: nil)
        scan.hasTimedOut.withLock { $0 = true }
        await end(scan)
      }
    }
    defer { timer?.cancel() }
    do {
      return try await withTaskCancellationHandler {
        try await scan.work.value {
          let result: Result<Value, any Error>
          do {
            result = .success(try await body { [work = scan.work] report in work.whileWaiting(report) })
          } catch {
            result = .failure(error)
          }
          // If the device were free before the stop has returned, that stop would end the next scan.
          await scan.stopping.withLock { $0 }?.value
          self.releaseDevice(of: scan)
          return try result.get()
        }
      } onCancel: {
        // In a separate task: `report` may be the caller of the cancellation, and the work is locked then.
        Task.detached { await self.end(scan) }
      }
    } catch is CancellationError where scan.hasTimedOut.withLock({ $0 }) {
      throw ScanRefusal.timedOut
    }
  }

  /// Stops the scan of this connection. The connection can start another scan at once; it waits for the device if
  /// necessary.
  ///
  /// - Returns: whether the device is free: false if another connection is scanning.
  func stop(for connection: BridgeConnection) async -> Bool {
    let (current, waiting) = state.withLock { state in
      (state.current, state.waiting.filter { $0.connection == connection })
    }
    for scan in waiting { await end(scan) }
    guard let current else { return true }
    guard current.connection == connection else { return false }
    await end(current)
    return true
  }

  /// - Throws: `ScanRefusal`; `CancellationError` if the scan is stopped while it waits.
  private func acquireDevice(for scan: Scan) async throws {
    state.withLock { $0.waiting.append(scan) }
    defer { state.withLock { $0.waiting.removeAll { $0 === scan } } }
    while true {
      let turn = scan.nextTurn()
      guard let current = tryAcquireDevice(for: scan) else { return }
      let isStopped = current.work.isDetached
      guard isStopped || current.connection != scan.connection else { throw ScanRefusal.alreadyScanning }
      // It may have been stopped before there was a turn to end.
      if scan.work.isDetached { throw CancellationError() }
      let hasTurn =
        (try? await withTimeLimit(isStopped ? gracePeriod : handoverTime, clock: clock) { () async -> Void in
          for await _ in turn {}
        }) != nil
      if scan.work.isDetached || Task.isCancelled { throw CancellationError() }
      // If the other scan was stopped meanwhile, it has its whole time to release the device.
      guard hasTurn || !isStopped && current.work.isDetached else { throw ScanRefusal.busy }
    }
  }

  /// - Returns: the scan that uses the device; nil if the device was acquired.
  private func tryAcquireDevice(for scan: Scan) -> Scan? {
    state.withLock { state in
      if let current = state.current { return current }
      state.current = scan
      return nil
    }
  }

  private func releaseDevice(of scan: Scan) {
    let waiting = state.withLock { state in
      if state.current === scan { state.current = nil }
      return state.waiting
    }
    for other in waiting { other.signal() }
  }

  /// Answers the scan at once. Stops the provider only for the scan that uses the device: otherwise it would stop
  /// another scan.
  private func end(_ scan: Scan) async {
    scan.work.detach {
      guard state.withLock({ $0.current === scan }) else { return }
      scan.stopping.withLock { $0 = Task { await scan.stopProvider() } }
    }
    scan.signal()
    await scan.stopping.withLock { $0 }?.value
  }
}

/// The reasons why a scan did not begin or did not finish.
enum ScanRefusal: Error {
  /// This connection has a scan running.
  case alreadyScanning
  /// Another connection uses the device.
  case busy
  /// The scan exceeded its time limit.
  case timedOut
}
