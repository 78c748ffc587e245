package import Metrics
package import TesseraNATS
internal import TesseraVerification

/// The metrics of a desk or an inspector. Label values come from fixed sets only, so that other machines cannot create
/// series.
package struct FleetMetrics: Sendable {
  private let factory: (any MetricsFactory)?

  /// - Parameter factory: nil if there are no metrics.
  package init(_ factory: (any MetricsFactory)? = nil) { self.factory = factory }

  /// A read has ended with a verdict.
  func ended(_ mode: FleetReadingMode, _ outcome: Outcome, roundTrips: Int?, since begin: ContinuousClock.Instant) {
    guard let factory else { return }
    count("tessera_fleet_reads_total", 1, ("mode", mode.rawValue), ("outcome", outcome.rawValue))
    if let roundTrips { count("tessera_fleet_round_trips_total", roundTrips, ("mode", mode.rawValue)) }
    Timer(label: "tessera_fleet_read_seconds", dimensions: [("mode", mode.rawValue)], factory: factory)
      .recordNanoseconds(Int64((.now - begin) / .nanoseconds(1)))
  }

  func failed(_ error: FleetError) { count("tessera_fleet_errors_total", 1, ("code", error.code.rawValue)) }

  /// Something went wrong at the connection without an error of a call (`NATSConnection.onProblem`).
  package func problem(_ problem: NATSConnectionProblem) {
    let code =
      switch problem {
      case .slowConsumer: "slowConsumer"
      case .notPermitted: "notPermitted"
      }
    count("tessera_fleet_errors_total", 1, ("code", code))
  }

  func repeated(_ error: FleetError) { count("tessera_fleet_repetitions_total", 1, ("code", error.code.rawValue)) }

  func open(_ reads: Int) {
    guard let factory else { return }
    Meter(label: "tessera_fleet_reads_open", factory: factory).set(reads)
  }

  private func count(_ label: String, _ amount: Int, _ dimensions: (String, String)...) {
    guard let factory else { return }
    Counter(label: label, dimensions: dimensions, factory: factory).increment(by: amount)
  }
}
