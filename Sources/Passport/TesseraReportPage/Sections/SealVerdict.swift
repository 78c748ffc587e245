import TesseraSeals
import TesseraVerification

extension VerdictBanner {
  /// A copy of a seal is as good as the original, so what was compared is part of the verdict.
  init(report: SealReport) {
    self.init(outcome: report.outcome, sentence: Self.sentence(report), notes: Self.notes(report))
  }

  private static func sentence(_ report: SealReport) -> String {
    let clause = report.outcomeReason?.clause ?? ""
    return switch report.outcome {
    case .genuine: report.meaning
    case .notGenuine: "A proof speaks against the seal: \(clause)."
    case .notEstablished: "The seal is not proved to be genuine, since \(clause). \(report.meaning)"
    }
  }

  private static func notes(_ report: SealReport) -> [Note] {
    let failed = report.checks.filter { $0.status == .failed }.map { note("Failed", $0, isBad: true) }
    let open = report.checks.filter { check in
      switch check.status {
      case .skipped:
        check.id == .matchesDocument
          || report.outcome != .notGenuine && [.signature, .chain, .revocation].contains(check.id)
      case .unsupported: true
      case .passed, .failed: false
      }
    }
    let compared = report.checks.filter { $0.id == .matchesDocument && $0.status == .passed }
    func label(_ check: SealCheck) -> String {
      if check.status == .unsupported { return "Not supported" }
      if check.id == .matchesDocument { return "Not compared" }
      return report.outcome == .genuine ? "Not checked" : "Missing"
    }
    var notes = failed + compared.map { note("Compared", $0, isBad: false) }
    // What was compared comes first; and one reason is said once.
    for check in open.filter({ $0.id == .matchesDocument }) + open.filter({ $0.id != .matchesDocument })
    where !notes.contains(where: { $0.detail == check.detail }) {
      notes.append(note(label(check), check, isBad: false))
    }
    return notes
  }

  private static func note(_ label: String, _ check: SealCheck, isBad: Bool) -> Note {
    Note(label: label, name: check.id.name, detail: check.detail, isBad: isBad)
  }
}

extension CheckList {
  init(report: SealReport) {
    func entries(_ ids: [SealCheck.ID]) -> [Entry] {
      ids.compactMap { report[$0] }.map { check in
        Entry(id: check.id.rawValue, name: check.id.name, status: check.status, detail: check.detail)
      }
    }
    let signer = Group(
      title: "The data", question: "Signed by the country?",
      entries: entries([.format, .signature, .chain, .revocation, .validity]))
    let document = Group(
      title: "The document", question: "Valid, and the one that the seal was made for?",
      entries: entries([.documentType, .matchesDocument, .documentExpiry]))
    self.init(columns: [[signer], [document]])
  }
}

extension FindingList {
  /// A seal has at most some twenty.
  init(report: SealReport) {
    self.init(
      entries: report.findings.prefix(24).map { Entry(id: $0.id.rawValue, detail: $0.detail, isBad: false) })
  }
}

extension CertificateChain {
  init(report: SealReport) {
    self.init(
      certificates: (report.signer.map { [$0.certificate] } ?? []) + report.chain,
      status: report[.chain]?.status ?? .skipped, signer: "Signer of the seal")
  }
}
