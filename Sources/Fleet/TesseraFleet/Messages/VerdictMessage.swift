package import TesseraVerification

/// The verdict on a read, which the fleet's record states too.
package struct VerdictMessage: FleetMessage, Equatable {
  package var outcome: Outcome
  /// nil for `genuine`.
  package var reason: OutcomeReason?
  /// The result in one line, without personal data.
  package var headline: String
  /// Whether the stream has acknowledged the record. If not, it is in the inspector's spool.
  package var recorded: Bool
  /// The version of the fleet's trust store; nil for a store of the inspector's machine.
  package var trustVersion: UInt64?
  /// The report, JSON text; nil if the desk may not see it.
  package var report: String?

  package init(
    _ report: Report, recorded: Bool, trustVersion: UInt64?, reportJSON: String?
  ) {
    outcome = report.outcome
    reason = report.outcomeReason
    headline = report.headline
    self.recorded = recorded
    self.trustVersion = trustVersion
    self.report = reportJSON
  }
}

extension VerdictMessage {
  /// The bytes of this verdict, without the report if that makes the message too long.
  ///
  /// - Parameter limit: in bytes.
  package func encoded(limit: Int) throws -> [UInt8] {
    let whole = try FleetCoding.encode(self)
    guard whole.count > limit else { return whole }
    return try FleetCoding.encode(withoutReport)
  }

  fileprivate var withoutReport: VerdictMessage {
    var verdict = self
    verdict.report = nil
    return verdict
  }
}

extension FilesReply {
  /// The bytes of this reply, without the report if that makes the message too long.
  ///
  /// - Parameter limit: in bytes.
  package func encoded(limit: Int) throws -> [UInt8] {
    let whole = try FleetCoding.encode(self)
    guard whole.count > limit, let verdict else { return whole }
    return try FleetCoding.encode(FilesReply(verdict: verdict.withoutReport))
  }
}
