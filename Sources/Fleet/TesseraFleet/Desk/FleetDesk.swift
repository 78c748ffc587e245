internal import TesseraCore
package import TesseraNATS
public import TesseraPassport
public import TesseraReaders
internal import TesseraSmartCard
internal import TesseraThreads
public import TesseraVerification

/// A desk of a fleet: its documents are judged by inspectors elsewhere.
///
/// A read that loses its inspector is begun again under the same identifier, until it succeeds or its time ends. The time
/// begins when there is a card. When it ends, the attempt under way is given up: its inspector is told, and the session of
/// the chip ends.
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
  ///   - onProgress: receives each step of the read, before the verdict, unless more than 1,024 wait for it.
  ///   - onWaiting: called once if there is no card yet.
  /// - Throws: `FleetError`, with the code `timeLimit` if the time ended in the first attempt, and the reason of the last
  ///   repetition if it ended in a later one; `NATSError`, which converts to a `Failure`, if the server refuses this
  ///   desk's key; of a witnessed read also `PassportError` and `CardError`; `CancellationError`.
  public func read(
    _ source: CardSource, _ request: InspectionRequest, mode: FleetReadingMode, readID: FleetReadID? = nil,
    onProgress: @escaping @Sendable (InspectionProgress) -> Void = { _ in },
    onWaiting: @escaping @Sendable () -> Void = {}
  ) async throws -> FleetReading {
    let readID = try readID ?? .random()
    let begin = ContinuousClock.now
    let requests = DeskConnection(connection, name, limits)
    do {
      let reading = try await source.withCard(onWaiting: onWaiting) { card in
        try await repeating { number in
          switch mode {
          case .witnessed:
            let read = WitnessedRead(requests: requests, readID: readID, software: software)
            let (verdict, dump) = try await read.run(card, request, onProgress)
            return FleetReading(
              readID: readID, mode: mode, verdict, dump: dump, roundTrips: requests.roundTrips, attempts: number)
          case .remote:
            let read = RemoteRead(requests: requests, readID: readID, software: software)
            let verdict = try await read.run(card, request, onProgress)
            return FleetReading(
              readID: readID, mode: mode, verdict, dump: nil, roundTrips: requests.roundTrips, attempts: number)
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
  ///
  /// - Parameter attempt: receives the number of the attempt, from 1.
  private func repeating(
    _ attempt: @escaping @Sendable (Int) async throws -> FleetReading
  ) async throws -> FleetReading {
    let end = ContinuousClock.now + limits.overall
    var pause = limits.firstPause
    var number = 1
    var reason: FleetError?
    while true {
      do {
        return try await giveUp(at: end) { [number] in try await attempt(number) }
      } catch let error as FleetError where error.allowsRepetition {
        // An attempt that was given up says less than why it had to be made.
        guard .now < end else { throw reason ?? error }
        // Desks that lost the same inspector must not all come back at the same moment.
        let jittered = pause * Double.random(in: 0.5...1)
        guard .now + jittered < end else { throw error }
        metrics.repeated(error)
        reason = error
        try await Task.sleep(for: jittered)
      }
      number += 1
      pause = min(pause * 2, limits.longestPause)
    }
  }

  /// Runs an attempt, and cancels it when the time of the read ends. If its chip does not even answer then, the attempt is
  /// left behind after `limits.ending`; it executes no further command. The end of the card's session takes as long as its
  /// reader needs: with PC/SC 1.5 seconds more at most.
  ///
  /// - Throws: what the attempt throws; `FleetError` with the code `timeLimit`; `CancellationError`.
  private func giveUp(
    at end: ContinuousClock.Instant, _ attempt: @escaping @Sendable () async throws -> FleetReading
  ) async throws -> FleetReading {
    do {
      return try await withTimeLimit(
        max(.zero, end - .now), gracePeriod: limits.ending, orThrow: FleetError(.timeLimit), attempt)
    } catch is CancellationError {
      try Task.checkCancellation()
      throw FleetError(.timeLimit)
    }
  }
}

/// The result of a read that an inspector judged.
public struct FleetReading: Sendable {
  public let readID: FleetReadID
  public let mode: FleetReadingMode
  public let outcome: Outcome
  /// nil for `genuine`.
  public let reason: OutcomeReason?
  /// The result in one line.
  public let headline: String
  /// The inspector's report, JSON text; nil after a remote read, unless the inspector's configuration shows it, and if
  /// it is too long for a message.
  public let reportJSON: String?
  /// What was read; nil after a remote read.
  public let dump: DocumentDump?
  /// Whether the fleet's stream has acknowledged the record. If not, the inspector sends it later.
  public let recorded: Bool
  /// The version of the fleet's trust store that judged the read; nil for a store of the inspector's machine.
  public let trustVersion: UInt64?
  /// The requests that waited for an answer over the network, of all attempts.
  public let roundTrips: Int
  /// How often the read was begun.
  public let attempts: Int

  init(
    readID: FleetReadID, mode: FleetReadingMode, _ verdict: VerdictMessage, dump: DocumentDump?, roundTrips: Int,
    attempts: Int
  ) {
    self.readID = readID
    self.mode = mode
    outcome = verdict.outcome
    reason = verdict.reason
    headline = verdict.headline
    reportJSON = verdict.report
    self.dump = dump
    recorded = verdict.recorded
    trustVersion = verdict.trustVersion
    self.roundTrips = roundTrips
    self.attempts = attempts
  }
}
