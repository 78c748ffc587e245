import Logging
import TesseraCore
import TesseraFleet
import TesseraNATS

/// Notices that a connection is of no use any more: it is closed for good, since the servers refused its key twice or one
/// sent what no server sends, or the server refuses the subscription that the program lives on.
struct ConnectionWatch: Sendable {
  /// What went wrong at the connection since the beginning.
  let problems: ConnectionProblems
  private let endings: AsyncStream<NATSError>
  private let logger: Logger

  /// Begins at once; the log receives each change and each problem of the connection, and the metrics count the problems.
  ///
  /// - Parameter subject: a subscription that the program lives on, as it lives on the answers to its requests then; nil if
  ///   it lives without both.
  init(_ connection: NATSConnection, needing subject: String? = nil, logger: Logger, metrics: FleetMetrics) {
    problems = ConnectionProblems(connection, metrics, logger)
    let (endings, continuation) = AsyncStream.makeStream(of: NATSError.self, bufferingPolicy: .bufferingOldest(1))
    (self.endings, self.logger) = (endings, logger)
    connection.onStateChange { [weak connection] state in
      switch state {
      case .connected: logger.notice("The servers are connected again.")
      case .reconnecting: logger.warning("The connection to the servers is interrupted.")
      case .closed: continuation.yield(connection?.closingError ?? .closed)
      }
    }
    connection.onProblem { [weak connection] problem in
      guard case .notPermitted(let violation) = problem, let subject else { return }
      let isNeeded = violation.isSubscription && violation.subject == subject
      if let refusal = isNeeded ? .notPermitted(subject: subject) : connection?.refusal { continuation.yield(refusal) }
    }
    // Both may have happened before the handlers were there.
    if connection.state == .closed { continuation.yield(connection.closingError) }
    if subject != nil, let refusal = connection.refusal { continuation.yield(refusal) }
  }

  /// Waits until the connection is of no use any more, or the task is cancelled. For one task only.
  ///
  /// - Throws: `Failure` of the kind `serviceUnavailable`, or `NATSError` if the server has said why.
  func untilClosed() async throws {
    for await reason in endings {
      guard reason == .closed else {
        logger.error("\(reason.failure.cause)")
        throw reason
      }
      logger.error("The servers have closed the connection for good.")
      throw Failure(
        .serviceUnavailable, "The servers have closed the connection for good.",
        remedy: "Check that the servers' configuration lists the key of this program. Then start it again.")
    }
  }
}
