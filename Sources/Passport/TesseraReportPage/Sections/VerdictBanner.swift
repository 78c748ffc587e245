import TesseraVerification

/// The overall outcome: a symbol, a word and a colour, one sentence, and what failed or is missing.
struct VerdictBanner {
  let report: Report

  fileprivate struct Note {
    let label: String
    let name: String
    let detail: String
    let isBad: Bool
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
    case .notGenuine: return "A proof of authenticity failed: \(clause)."
    case .notEstablished:
      return report.isSound
        ? "Nothing speaks against the document, but it is not proved to be genuine, since \(clause)."
        : "The document is not proved to be genuine, since \(clause)."
    }
  }

  private var clause: String { report.outcomeReason?.clause ?? "" }

  private var isOriginal: Bool {
    [.chipAuthentication, .activeAuthentication, .paceChipAuthentication].contains { report[$0]?.status == .passed }
  }

  private var list: HTML {
    let notes = self.notes
    let shown = notes.prefix(Self.maximumNotes).map { note in
      HTML.element(
        "li", [note.isBad ? .class("bad") : report.outcome.colour],
        [.element("b", [], "\(note.label): "), .text("\(note.name). "), .chip(note.detail, limit: 240)])
    }
    let rest = notes.count - shown.count
    let more = rest > 0 ? [HTML.element("li", [], "\(rest) more in the list of checks.")] : []
    return notes.isEmpty ? .nothing : .element("ul", [.class("notes")], shown + more)
  }

  /// What failed, and what the outcome lacks.
  private var notes: [Note] {
    let failed = report.failedChecks.map { Note("Failed", $0, isBad: true) }
    let found = report.findings.filter(\.speaksAgainstDocument).map {
      Note(label: "Found", name: $0.id.rawValue, detail: $0.detail, isBad: true)
    }
    let needed: Set<Check.ID> =
      report.outcome == .notGenuine ? [] : [.passiveHashes, .passiveSignature, .passiveChain, .passiveRevocation]
    let missing = report.checks.filter { check in
      check.status == .skipped && needed.contains(check.id) || check.status == .unsupported
    }
    let skipped = report.outcome == .genuine ? "Not checked" : "Missing"
    return failed + found + missing.map { Note($0.status == .skipped ? skipped : "Not supported", $0, isBad: false) }
  }
}

extension VerdictBanner.Note {
  fileprivate init(_ label: String, _ check: Check, isBad: Bool) {
    self.init(label: label, name: check.id.name, detail: check.detail, isBad: isBad)
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
