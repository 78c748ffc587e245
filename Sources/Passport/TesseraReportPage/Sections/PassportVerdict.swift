import TesseraVerification

extension VerdictBanner {
  init(report: Report) {
    self.init(outcome: report.outcome, sentence: report.meaning, notes: Self.notes(report))
  }

  /// What failed, and what the outcome lacks.
  private static func notes(_ report: Report) -> [Note] {
    let failed = report.failedChecks.map { note("Failed", $0, isBad: true) }
    let found = report.findings.filter(\.speaksAgainstDocument).map {
      Note(label: "Found", name: $0.id.rawValue, detail: $0.detail, isBad: true)
    }
    let needed: Set<Check.ID> =
      report.outcome == .notGenuine ? [] : [.passiveHashes, .passiveSignature, .passiveChain, .passiveRevocation]
    let missing = report.checks.filter { check in
      check.status == .skipped && needed.contains(check.id) || check.status == .unsupported
    }
    let skipped = report.outcome == .genuine ? "Not checked" : "Missing"
    return failed + found
      + missing.map { note($0.status == .skipped ? skipped : "Not supported", $0, isBad: false) }
  }

  private static func note(_ label: String, _ check: Check, isBad: Bool) -> Note {
    Note(label: label, name: check.id.name, detail: check.detail, isBad: isBad)
  }
}
