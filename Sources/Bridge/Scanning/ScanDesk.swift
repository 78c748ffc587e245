import Threads

/// Hands a device that does one scan at a time to one connection after the other. A scan is answered when it ends or
/// is stopped, whichever comes first. The device is free when the provider has let go of it: a moment after a stop, or
/// when a driver that is stuck comes back.
///
/// The rule for a second scan: the connection whose scan is running is told so, and every other that the device is
/// busy. Only the connection that began a scan can stop it.
final class ScanDesk: Sendable {
  enum Refusal: Error {
    /// This connection has a scan running.
    case alreadyScanning
    /// Another connection has one.
    case busy
    /// It was ended since its time was over.
    case tooLong
  }

  private final class Scan: Sendable {
    let connection: BridgeConnection
    let work = AbandonableWork<String>()
    /// Tells the provider that nobody waits any more.
    let stop: @Sendable () async -> Void
    let telling = Locked<Task<Void, Never>?>(nil)
    let isTooLong = Locked(false)

    init(_ connection: BridgeConnection, _ stop: @escaping @Sendable () async -> Void) {
      self.connection = connection
      self.stop = stop
    }
  }

  private struct State {
    /// Has the device.
    var current: Scan?
    /// Wait for one that was stopped to leave it.
    var waiting: [Scan] = []
  }
  private let state = Locked(State())
  private let patience: Duration

  /// - Parameter patience: how long a new scan waits for one that was stopped to leave the device.
  init(patience: Duration = .seconds(5)) { self.patience = patience }

  /// - Parameters:
  ///   - limit: how long it may take; nil for any time.
  ///   - stop: is called when the scan was stopped, before another one can begin.
  ///   - body: the scan; its parameter runs what it is given unless the scan has been answered.
  /// - Throws: `Refusal`; `CancellationError` where the scan was stopped or the task was cancelled; what the body throws.
  func scan(
    over connection: BridgeConnection, within limit: Duration? = nil, stop: @escaping @Sendable () async -> Void,
    _ body: @escaping @Sendable (@escaping @Sendable (() -> Void) -> Void) async throws -> String
  ) async throws -> String {
    let scan = Scan(connection, stop)
    try await begin(scan)
    defer { if !scan.work.hasBegun { end(scan) } }
    let timer = limit.map { limit in
      Task {
        try await Task.sleep(for: limit)
        scan.isTooLong.withLock { $0 = true }
        await abandon(scan)
      }
    }
    defer { timer?.cancel() }
    do {
      return try await value(scan, body)
    } catch is CancellationError where scan.isTooLong.withLock({ $0 }) {
      throw Refusal.tooLong
    }
  }

  private func value(
    _ scan: Scan, _ body: @escaping @Sendable (@escaping @Sendable (() -> Void) -> Void) async throws -> String
  ) async throws -> String {
    try await withTaskCancellationHandler {
      try await scan.work.value {
        let result: Result<String, any Error>
        do {
          result = .success(try await body { [work = scan.work] tell in work.whileWaiting(tell) })
        } catch {
          result = .failure(error)
        }
        // Told late, the provider would stop the next scan.
        await scan.telling.withLock { $0 }?.value
        self.end(scan)
        return try result.get()
      }
    } onCancel: {
      // Not on this thread: whoever cancels may have been called by `tell`, and the work is locked then.
      Task.detached { await self.abandon(scan) }
    }
  }

  /// Stops this connection's scan. Another one can be asked for then, and waits for the device if need be.
  ///
  /// - Returns: whether the device is free now: false where another connection is scanning.
  func stop(for connection: BridgeConnection) async -> Bool {
    let (current, waiting) = state.withLock { state in
      (state.current, state.waiting.filter { $0.connection == connection })
    }
    // What has not begun yet is not to begin.
    for scan in waiting { await abandon(scan) }
    guard let current else { return true }
    guard current.connection == connection else { return false }
    await abandon(current)
    return true
  }

  private func begin(_ scan: Scan) async throws(Refusal) {
    state.withLock { $0.waiting.append(scan) }
    defer { state.withLock { $0.waiting.removeAll { $0 === scan } } }
    while let holder = take(scan) {
      guard holder.work.isAbandoned else { throw holder.connection == scan.connection ? .alreadyScanning : .busy }
      guard await holder.work.end(within: patience) else { throw .busy }
    }
  }

  /// - Returns: the scan that has the device; nil where it is this one's now.
  private func take(_ scan: Scan) -> Scan? {
    state.withLock { state in
      if let current = state.current { return current }
      state.current = scan
      return nil
    }
  }

  private func end(_ scan: Scan) {
    state.withLock { if $0.current === scan { $0.current = nil } }
  }

  /// The answer goes out at once. The provider is told of a scan that has the device, and of no other: it would stop that.
  private func abandon(_ scan: Scan) async {
    scan.work.abandon {
      guard state.withLock({ $0.current === scan }) else { return }
      scan.telling.withLock { $0 = Task { await scan.stop() } }
    }
    await scan.telling.withLock { $0 }?.value
  }
}
