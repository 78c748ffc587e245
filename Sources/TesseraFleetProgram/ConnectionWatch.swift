import Logging
import TesseraCore
import TesseraFleet
import TesseraNATS

/// Notices that a connection is closed for good: the servers refused its key twice, so that nothing connects it again.
struct ConnectionWatch: Sendable {
  /// What went wrong at the connection since the beginning.
  let problems: ConnectionProblems
  private let closing: AsyncStream<Void>
  private let logger: Logger

  /// Begins at once; the log receives each change and each problem of the connection, and the metrics count the problems.
  init(_ connection: NATSConnection, logger: Logger, metrics: FleetMetrics) {
    problems = ConnectionProblems(connection, metrics, logger)
    let (closing, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    (self.closing, self.logger) = (closing, logger)
    connection.onStateChange { state in
      switch state {
      case .connected: logger.notice("The servers are connected again.")
      case .reconnecting: logger.warning("The connection to the servers is interrupted.")
      case .closed: continuation.yield()
      }
    }
    // It may have been closed before the handler was there.
    if connection.state == .closed { continuation.yield() }
  }

  /// Waits until the connection is closed for good, or the task is cancelled. For one task only.
  ///
  /// - Throws: `Failure` of the kind `serviceUnavailable` once it is closed.
  func untilClosed() async throws {
    for await _ in closing {
      logger.error("The servers have closed the connection for good.")
      throw Failure(
        .serviceUnavailable, "The servers have closed the connection for good.",
        remedy: "Check that the servers' configuration lists the key of this program. Then start it again.")
    }
  }
}
