import Logging
import ServiceLifecycle
import TesseraCommandLine
import TesseraFleet
import TesseraMetrics
import TesseraNATS
import TesseraService

/// An inspector with all that runs beside it, until the service group shuts down: then it finishes the reads under way.
struct InspectorService: Service {
  let settings: InspectorSettings
  let logger: Logger

  func run() async throws {
    let metrics = settings.socket.map { _ in PrometheusMetrics() }
    var server: MetricsServer?
    if let metrics, let path = settings.socket {
      server = try await MetricsServer.start(path, metrics: metrics, logger: logger)
    }
    do {
      try await settings.fleet.withConnection(as: settings.name) { connection in
        let page = metrics
        let metrics = FleetMetrics(metrics)
        let watch = ConnectionWatch(
          connection, needing: FleetSubject.everyBegin, logger: logger, metrics: metrics)
        try await serve(connection, watch, metrics, page)
      }
      await server?.stop()
    } catch {
      await server?.stop()
      throw error
    }
  }

  private func serve(
    _ connection: NATSConnection, _ watch: ConnectionWatch, _ metrics: FleetMetrics, _ page: PrometheusMetrics?
  ) async throws {
    let trust = settings.source(connection)
    page?.collect {
      let material = try? await trust.current().material
      return TrustDates.gauges(material.map { TrustDates($0) })
    }
    let recorder = try FleetRecorder(connection, spool: settings.spool, policy: settings.policy, logger: logger)
    let inspector = try FleetInspector(
      connection: connection, trust: trust, recorder: recorder, configuration: settings.configuration,
      metrics: metrics, logger: logger)
    let figures = InspectorFigureSource(
      inspector: inspector, problems: watch.problems, recorder: recorder, trust: trust)
    let responder = StatusResponder(connection, inspector: inspector.identifier, figures: figures)
    try await withThrowingTaskGroup(of: Void.self) { group in
      // An inspector that lacks a part of it stops: another one takes its reads.
      group.addTask { try await watch.untilClosed() }
      group.addTask { try await responder.run() }
      group.addTask { await recorder.run() }
      if case .bucket(let follower) = trust {
        group.addTask { try await follower.run { report($0) } }
      }
      group.addTask {
        try await cancelWhenGracefulShutdown {
          try await inspector.run {
            // Who started this program waits for this line.
            try? StandardOutput.write("ready \(inspector.identifier)")
            ServiceManager.isReady()
          }
        }
        throw Ended()
      }
      do {
        // Unlike `waitForAll`, ends with the first error.
        for try await _ in group {}
      } catch is Ended {
        group.cancelAll()
      }
    }
  }

  /// The inspector has answered all its reads: the rest ends, too.
  private struct Ended: Error {}

  private func report(_ figures: TrustFigures) {
    let version = figures.version.map { "\($0)" } ?? "none"
    if let problem = figures.problem {
      logger.error(
        "The newest certificates cannot be used.", metadata: ["reason": "\(problem)", "version": "\(version)"])
    } else {
      logger.notice("The certificates are in use.", metadata: ["version": "\(version)"])
    }
  }
}

/// The figures of the parts of an inspector.
struct InspectorFigureSource: FleetFigures {
  let inspector: FleetInspector
  let problems: ConnectionProblems
  let recorder: FleetRecorder
  let trust: FleetTrust

  func inspectorFigures() async -> InspectorFigures {
    var figures = inspector.figures
    figures.notPermitted = problems.notPermitted
    return figures
  }
  func spoolFigures() async -> SpoolFigures { recorder.figures }
  func trustFigures() async -> TrustFigures { trust.figures }
}
