package import Logging
package import TesseraNATS
internal import TesseraThreads

/// Notes what goes wrong at a connection without an error of a call: in the log, in the metrics, and for the status.
package final class ConnectionProblems: Sendable {
  private let refusals = Locked(0)

  /// The number of publications and subscriptions that the server refused.
  package var notPermitted: Int { refusals.withLock { $0 } }

  /// Begins at once.
  package init(_ connection: NATSConnection, _ metrics: FleetMetrics, _ logger: Logger) {
    connection.onProblem { [refusals] problem in
      metrics.problem(problem)
      switch problem {
      case .slowConsumer(let subject):
        logger.warning(
          "Messages come faster than they are taken, and some are dropped.", metadata: ["subject": "\(subject)"])
      case .notPermitted(let violation):
        refusals.withLock { $0 += 1 }
        logger.warning(
          "The server refused a publication or a subscription. Its log names the subject: check the name and the key.",
          metadata: ["kind": "\(violation.isSubscription ? "subscription" : "publication")"])
      }
    }
  }
}
