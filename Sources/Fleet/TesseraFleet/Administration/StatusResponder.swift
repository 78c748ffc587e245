package import TesseraNATS

/// Answers the question for the state of all inspectors.
package struct StatusResponder: Sendable {
  /// The most questions that wait. Nobody asks more often than once a second.
  private static let maximumWaiting = 16

  private let connection: NATSConnection
  private let inspector: FleetIdentifier
  private let figures: any FleetFigures
  private let start = ContinuousClock.now

  package init(_ connection: NATSConnection, inspector: FleetIdentifier, figures: any FleetFigures) {
    self.connection = connection
    self.inspector = inspector
    self.figures = figures
  }

  /// Answers until the task is cancelled.
  ///
  /// - Parameter onReady: Called once the questions are subscribed to.
  /// - Throws: `NATSError` if the connection is closed. A key that may not subscribe is a problem of the connection
  ///   (`NATSConnectionProblem.notPermitted`), and gets no questions.
  package func run(onReady: () -> Void = {}) async throws {
    let (questions, waiting) = AsyncStream.makeStream(
      of: NATSMessage.self, bufferingPolicy: .bufferingNewest(Self.maximumWaiting))
    let subscription = try connection.subscribe(FleetSubject.ping, pendingLimit: Self.maximumWaiting) {
      waiting.yield($0)
    }
    defer { subscription.cancel() }
    onReady()
    for await question in questions {
      // An answer that cannot be sent is not needed later.
      guard let answer = try? FleetCoding.encode(await status) else { continue }
      try? connection.respond(to: question, answer)
    }
    try Task.checkCancellation()
  }

  /// The state of this inspector.
  package var status: InspectorStatus {
    get async {
      InspectorStatus(
        inspector: inspector, uptime: ContinuousClock.now - start, figures: await figures.inspectorFigures(),
        spool: await figures.spoolFigures(), trust: await figures.trustFigures())
    }
  }
}
