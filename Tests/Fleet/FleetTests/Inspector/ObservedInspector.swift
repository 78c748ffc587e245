import FleetLab
import Foundation
import TesseraNATS
import TesseraThreads
import TestSupport

@testable import TesseraFleet

/// The clock of a machine, which a test sets.
final class LabClock: Sendable {
  static let year = 365.0 * 86_400
  private let offset: Locked<Double>

  /// - Parameter offset: the seconds by which it is ahead.
  init(_ offset: Double = 0) { self.offset = Locked(offset) }

  func set(_ offset: Double) { self.offset.withLock { $0 = offset } }

  var settings: ClockSettings {
    var settings = ClockSettings()
    settings.now = { [offset] in Date.now + offset.withLock { $0 } }
    // A slow machine has time to answer.
    settings.answer = .seconds(60)
    return settings
  }
}

/// An inspector in this process whose log and metrics a test reads.
struct ObservedInspector {
  let log = LogLines()
  let metrics: CountedMetrics
  let inspector: FleetInspector
  let problems: ConnectionProblems
  private let connection: NATSConnection

  init(
    _ connection: NATSConnection, trust: any FleetTrustSource, recorder: any FleetRecording,
    clock: ClockSettings = ClockSettings(), metrics: CountedMetrics = CountedMetrics()
  ) throws {
    self.connection = connection
    self.metrics = metrics
    var configuration = InspectorConfiguration()
    configuration.clock = clock
    // The reads that a test began and did not end have no answer.
    configuration.limits.drain = .seconds(1)
    problems = ConnectionProblems(connection, FleetMetrics(metrics), log.logger)
    inspector = try FleetInspector(
      connection: connection, trust: trust, recorder: recorder, configuration: configuration,
      metrics: FleetMetrics(metrics), logger: log.logger)
  }

  /// Runs `body` while desks can reach the inspector. Closes its connection.
  ///
  /// - Throws: also the error of an inspector that does not start.
  func run(_ body: () async throws -> Void) async throws {
    let ready = FirstResult<Void>()
    let task = Task { [inspector] in
      do {
        try await inspector.run { ready.settle(.success(())) }
      } catch {
        ready.settle(.failure(error))
      }
    }
    let result: Result<Void, any Error>
    do {
      try await ready.value
      try await body()
      result = .success(())
    } catch {
      result = .failure(error)
    }
    task.cancel()
    await task.value
    await connection.close()
    try result.get()
  }
}
