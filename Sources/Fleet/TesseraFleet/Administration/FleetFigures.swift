package import Logging
package import TesseraNATS
internal import TesseraThreads

/// What an inspector counts of its reads since it started, and how it is.
package struct InspectorFigures: Sendable, Equatable {
  /// The number of finished reads by outcome, for example `genuine`.
  package var reads: [String: Int] = [:]
  /// The number of reads that have begun and are not finished.
  package var underWay = 0
  /// The desks of the last 24 hours, the one with the newest read first.
  package var desks: [DeskFigures] = []
  /// How many desks of the last 24 hours are not in `desks`.
  package var furtherDesks = 0
  /// The number of messages of desks that came faster than they were taken, and were dropped.
  package var dropped = 0
  /// The number of publications and subscriptions that the server refused.
  package var notPermitted = 0
  /// By how many seconds the clock of the machine is ahead of the server's; nil if the server does not tell its time.
  package var clockDifference: Int?

  package init() {}
}

/// What an inspector knows of a desk.
package struct DeskFigures: Sendable, Equatable {
  /// The name.
  package var desk: String
  /// The version of its software, by its own word.
  package var software: String
  /// The number of its finished reads.
  package var reads: Int
  /// The seconds since its last read began. An age, not a time: the clocks of machines differ.
  package var age: Int

  package init(desk: String, software: String, reads: Int, age: Int) {
    self.desk = desk
    self.software = software
    self.reads = reads
    self.age = age
  }
}

/// What waits at an inspector until the servers take it.
package struct SpoolFigures: Sendable, Equatable {
  package var records: Int
  /// The seconds since the oldest record was written; nil if there is none.
  package var oldest: Int?

  package init(records: Int = 0, oldest: Int? = nil) {
    self.records = records
    self.oldest = oldest
  }
}

/// Which country certificates an inspector uses.
package struct TrustFigures: Sendable, Equatable {
  /// The version of the fleet's store; nil for a store of its own machine, or none.
  package var version: UInt64?
  /// Why it does not use the newest version: the code of a `TrustBucketError`.
  package var problem: String?

  package init(version: UInt64? = nil, problem: String? = nil) {
    self.version = version
    self.problem = problem
  }
}

/// What the status of an inspector is made of. Each part gives its own.
package protocol FleetFigures: Sendable {
  func inspectorFigures() async -> InspectorFigures
  func spoolFigures() async -> SpoolFigures
  func trustFigures() async -> TrustFigures
}

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
