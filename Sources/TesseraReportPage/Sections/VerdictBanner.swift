import TesseraVerification

/// The overall outcome: a symbol, a word and a colour, one sentence, and what failed or is missing.
struct VerdictBanner {
  let report: Report

  private struct Note {
    let label: String
    let check: Check
  }

  /// More stand in the list of checks.
  private static let maximumNotes = 4

  var html: HTML {
    .element(
      "section", [.class("verdict"), report.outcome.colour],
      [
        .element("div", [.class("mark"), .fixed("aria-hidden", "true")], report.outcome.symbol),
        .element(
          "div", [],
          [.element("h2", [], report.outcome.title), .element("p", [.class("lead")], sentence), list]),
      ])
  }

  private var sentence: String {
    switch report.outcome {
    case .genuine:
      let signer = report.chain.last.map(\.country) ?? ""
      let country = report.authority ?? (signer.isEmpty ? "the issuing country" : "the country signer of \(signer)")
      let data = "The data are complete, unchanged and signed by \(country)"
      return isOriginal
        ? "\(data), and the chip is the original."
        : "\(data). The document offers no proof that its chip is the original."
    case .notGenuine:
      return "A proof of authenticity failed: the data or the chip are not as the issuing country made them."
    case .notEstablished:
      return report.failedChecks.isEmpty
        ? "Nothing speaks against the document, but a part of the proof that it is genuine is missing."
        : "A part of the proof that the document is genuine is missing."
    }
  }

  private var isOriginal: Bool {
    [.chipAuthentication, .activeAuthentication, .paceChipAuthentication].contains { report[$0]?.status == .passed }
  }

  private var list: HTML {
    let notes = self.notes
    let shown = notes.prefix(Self.maximumNotes).map { note in
      HTML.element(
        "li", [note.check.status == .failed ? .class("bad") : report.outcome.colour],
        [.element("b", [], "\(note.label): "), .text("\(note.check.id.name). "), .chip(note.check.detail, limit: 240)])
    }
    let rest = notes.count - shown.count
    let more = rest > 0 ? [HTML.element("li", [], "\(rest) more in the list of checks.")] : []
    return notes.isEmpty ? .nothing : .element("ul", [.class("notes")], shown + more)
  }

  /// What failed, and what the outcome lacks.
  private var notes: [Note] {
    let failed = report.failedChecks.map { Note(label: "Failed", check: $0) }
    let needed: Set<Check.ID> =
      report.outcome == .notGenuine ? [] : [.passiveHashes, .passiveSignature, .passiveChain, .passiveRevocation]
    let missing = report.checks.filter { check in
      check.status == .skipped && needed.contains(check.id) || check.status == .unsupported
    }
    let skipped = report.outcome == .genuine ? "Not checked" : "Missing"
    return failed + missing.map { Note(label: $0.status == .skipped ? skipped : "Not supported", check: $0) }
  }
}

extension Outcome {
  var title: String {
    switch self {
    case .genuine: "Genuine"
    case .notGenuine: "Not genuine"
    case .notEstablished: "Not established"
    }
  }

  var symbol: String {
    switch self {
    case .genuine: "✓"
    case .notGenuine: "✗"
    case .notEstablished: "?"
    }
  }

  var colour: Attribute {
    switch self {
    case .genuine: .class("good")
    case .notGenuine: .class("bad")
    case .notEstablished: .class("open")
    }
  }
}
