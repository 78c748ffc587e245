import Logging
import TesseraCommandLine
import TesseraCore
import TesseraFleet
import TesseraNATS

extension DeskOptions {
  var mode: FleetReadingMode { fleetReading == .remote ? .remote : .witnessed }

  /// The name, which validation has required.
  private var deskName: DeskName {
    get throws(Failure) {
      guard let name = name.flatMap(DeskName.init) else {
        throw Failure(
          .usage, "This cannot be the name of a desk.", remedy: "Use 1 to 32 characters of a to z, 0 to 9 and -.")
      }
      return name
    }
  }

  /// Runs `body` with this desk, whose connection is closed afterwards.
  func withDesk<Result>(
    _ limits: FleetLimits = FleetLimits(), _ body: (FleetDesk) async throws -> Result
  ) async throws -> Result {
    let name = try deskName
    return try await fleet.withConnection(as: name.text) { connection in
      try await body(FleetDesk(connection: connection, name: name, limits: limits))
    }
  }

  /// The same for a service, with a watch over the connection.
  func withDesk<Result>(
    logger: Logger, metrics: FleetMetrics, _ body: (FleetDesk, ConnectionWatch) async throws -> Result
  ) async throws -> Result {
    let name = try deskName
    return try await fleet.withConnection(as: name.text) { connection in
      let watch = ConnectionWatch(connection, logger: logger, metrics: metrics)
      return try await body(FleetDesk(connection: connection, name: name, metrics: metrics), watch)
    }
  }
}
