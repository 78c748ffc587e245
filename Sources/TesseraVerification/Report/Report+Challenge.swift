import TesseraPassport

extension Report {
  /// This report with the requirement that Active Authentication answered a challenge of the caller: with another one,
  /// or without an answer, the check `active.authentication` fails.
  ///
  /// - Parameters:
  ///   - challenge: 8 bytes.
  ///   - dump: the dump that the report is about.
  package func requiring(challenge: [UInt8], of dump: DocumentDump) -> Report {
    let detail: String
    switch dump.evidence.activeAuthentication {
    case let evidence? where evidence.challenge == challenge: return self
    case _?: detail = "Active Authentication was performed with another challenge than the required one."
    case nil: detail = "Active Authentication, which had to answer the required challenge, was not performed."
    }
    var report = self
    report.checks = checks.map {
      $0.id == .activeAuthentication ? Check(.activeAuthentication, .failed, detail) : $0
    }
    report.outcome = .notGenuine
    return report
  }
}
