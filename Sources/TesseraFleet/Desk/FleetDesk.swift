internal import TesseraCore
package import TesseraNATS
public import TesseraPassport
public import TesseraReaders
internal import TesseraSmartCard

/// A desk of a fleet: its documents are judged by inspectors elsewhere.
///
/// A read that loses its inspector is begun again under the same identifier, until it succeeds or its time ends.
public struct FleetDesk: Sendable {
  let connection: NATSConnection
  /// The name in the subjects that the server lets this connection use.
  public let name: DeskName
  private let limits: FleetLimits
  private let metrics: FleetMetrics
  private let software: String

  /// - Parameter software: the version of this desk's software, which the record states.
  package init(
    connection: NATSConnection, name: DeskName, limits: FleetLimits = FleetLimits(),
    metrics: FleetMetrics = FleetMetrics(), software: String = TesseraVersion.current
  ) {
    self.connection = connection
    self.name = name
    self.limits = limits
    self.metrics = metrics
    self.software = software
  }

  /// Reads the document of a card source and waits for an inspector's verdict.
  ///
  /// - Parameters:
  ///   - source: the reader or the software chip.
  ///   - request: the access key and the files to read. Its challenge and its terminal credentials are not used.
  ///   - mode: whether the desk reads the chip, or an inspector through it.
  ///   - readID: of a read that an earlier process began; nil for a new one.
  ///   - onWaiting: called once if there is no card yet.
  ///   - onProgress: receives each step of the read.
  /// - Throws: `FleetError`; of a witnessed read also `PassportError` and `CardError`; `CancellationError`.
  public func read(
    _ source: CardSource, _ request: InspectionRequest, mode: FleetReadingMode, readID: FleetReadID? = nil,
    onWaiting: @escaping @Sendable () -> Void = {},
    onProgress: @escaping @Sendable (InspectionProgress) -> Void = { _ in }
  ) async throws -> FleetReading {
    let readID = try readID ?? .random()
    let begin = ContinuousClock.now
    let requests = DeskConnection(connection, name, limits)
    do {
      let reading = try await source.withCard(onWaiting: onWaiting) { card in
        try await repeating(card) { attempt in
          switch mode {
          case .witnessed:
            let read = WitnessedRead(requests: requests, readID: readID, software: software)
            let (verdict, dump) = try await read.run(card, request, onProgress)
            return FleetReading(
              readID: readID, mode: mode, verdict, dump: dump, roundTrips: requests.roundTrips, attempts: attempt)
          case .remote:
            let read = RemoteRead(requests: requests, readID: readID, software: software)
            let verdict = try await read.run(card, request, onProgress)
            return FleetReading(
              readID: readID, mode: mode, verdict, dump: nil, roundTrips: requests.roundTrips, attempts: attempt)
          }
        }
      }
      metrics.ended(mode, reading.outcome, roundTrips: reading.roundTrips, since: begin)
      return reading
    } catch {
      if !(error is CancellationError) { metrics.failed(FleetError(error)) }
      throw error
    }
  }

  /// Runs `attempt` again after an error that allows it, as long as there is time.
  private func repeating(
    _ card: Card, _ attempt: (Int) async throws -> FleetReading
  ) async throws -> FleetReading {
    let end = ContinuousClock.now + limits.overall
    var pause = limits.firstPause
    var number = 1
    while true {
      do {
        return try await attempt(number)
      } catch let error as FleetError where error.allowsRepetition {
        metrics.repeated(error)
        // Desks that lost the same inspector must not all come back at the same moment.
        let jittered = pause * Double.random(in: 0.5...1)
        guard .now + jittered < end else { throw error }
        try await Task.sleep(for: jittered)
      }
      number += 1
      pause = min(pause * 2, limits.longestPause)
    }
  }
}
