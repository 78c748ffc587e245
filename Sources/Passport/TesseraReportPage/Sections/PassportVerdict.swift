import TesseraVerification

extension VerdictBanner {
  init(report: Report) {
    self.init(outcome: report.outcome, sentence: Self.sentence(report), notes: Self.notes(report))
  }

  private static func sentence(_ report: Report) -> String {
    let clause = report.outcomeReason?.clause ?? ""
    switch report.outcome {
    case .genuine:
      let signer = report.chain.last.map(\.country) ?? ""
      let country = report.authority ?? (signer.isEmpty ? "the issuing country" : "the country signer of \(signer)")
      let data = "The data are complete, unchanged and signed by \(country)"
      return isOriginal(report)
        ? "\(data), and the chip is the original."
        : "\(data). The document offers no proof that its chip is the original."
    case .notGenuine: return "A proof of authenticity failed: \(clause)."
    case .notEstablished:
      return report.isSound
        ? "Nothing speaks against the document, but it is not proved to be genuine, since \(clause)."
        : "The document is not proved to be genuine, since \(clause)."
    }
  }

  private static func isOriginal(_ report: Report) -> Bool {
    [.chipAuthentication, .activeAuthentication, .paceChipAuthentication].contains { report[$0]?.status == .passed }
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
