public import TesseraPassport
public import TesseraVerification

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
