import Threads

/// Hands a device that does one scan at a time to one connection after the other. A scan is answered when it ends or
/// is stopped, whichever comes first.
///
/// The rule for a second scan: the connection whose scan is running is told so, and every other that the device is
/// busy. Only the connection that began a scan can stop it.
final class ScanDesk: Sendable {
  enum Refusal: Error {
    /// This connection has a scan running.
    case alreadyScanning
    /// Another connection has one.
    case busy
  }

  private final class Scan: Sendable {
    let connection: BridgeConnection
    let work = AbandonableWork<String>()
    /// Tells the provider that nobody waits any more.
    let stop: @Sendable () async -> Void

    init(_ connection: BridgeConnection, _ stop: @escaping @Sendable () async -> Void) {
      self.connection = connection
      self.stop = stop
    }
  }

  private let current = Locked<Scan?>(nil)

  /// - Parameters:
  ///   - stop: is called when the scan was stopped, before another one can begin.
  ///   - body: the scan; its parameter runs what it is given unless the scan has been answered.
  /// - Throws: `Refusal`; `CancellationError` where the scan was stopped or the task was cancelled; what the body throws.
  func scan(
    over connection: BridgeConnection, stop: @escaping @Sendable () async -> Void,
    _ body: @escaping @Sendable (@escaping @Sendable (() -> Void) -> Void) async throws -> String
  ) async throws -> String {
    let scan = Scan(connection, stop)
    try begin(scan)
    defer { if !scan.work.isAbandoned { end(scan) } }
    return try await withTaskCancellationHandler {
      try await scan.work.value { try await body { [work = scan.work] tell in work.whileWaiting(tell) } }
    } onCancel: {
      // Not on this thread: whoever cancels may have been called by `tell`, and the work is locked then.
      Task.detached { await self.abandon(scan) }
    }
  }

  /// Stops this connection's scan. After the return another one can begin.
  ///
  /// - Returns: whether the device is free now: false where another connection is scanning.
  func stop(for connection: BridgeConnection) async -> Bool {
    guard let scan = current.withLock({ $0 }) else { return true }
    guard scan.connection == connection else { return false }
    await abandon(scan)
    return true
  }

  private func begin(_ scan: Scan) throws(Refusal) {
    let holder = current.withLock { current -> BridgeConnection? in
      if let current { return current.connection }
      current = scan
      return nil
    }
    guard let holder else { return }
    throw holder == scan.connection ? .alreadyScanning : .busy
  }

  private func end(_ scan: Scan) {
    current.withLock { if $0 === scan { $0 = nil } }
  }

  /// The answer goes out at once; the device is free when the provider has been told.
  private func abandon(_ scan: Scan) async {
    guard scan.work.abandon() else { return }
    await scan.stop()
    end(scan)
  }
}
