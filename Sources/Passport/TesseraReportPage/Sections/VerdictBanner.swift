import TesseraVerification

/// The overall outcome: a symbol, a word and a colour, one sentence, and what failed or is missing.
struct VerdictBanner {
  struct Note {
    let label: String
    let name: String
    let detail: String
    let isBad: Bool
  }

  let outcome: Outcome
  /// What the outcome says.
  let sentence: String
  let notes: [Note]

  /// More stand in the list of checks.
  private static let maximumNotes = 4

  var html: HTML {
    .element(
      "section", [.class("verdict"), outcome.colour],
      [
        .element("div", [.class("mark"), .fixed("aria-hidden", "true")], outcome.symbol),
        .element(
          "div", [], [.element("h2", [], outcome.title), .element("p", [.class("lead")], sentence), list]),
      ])
  }

  private var list: HTML {
    let shown = notes.prefix(Self.maximumNotes).map { note in
      HTML.element(
        "li", [note.isBad ? .class("bad") : outcome.colour],
        [.element("b", [], "\(note.label): "), .text("\(note.name). "), .chip(note.detail, limit: 240)])
    }
    let rest = notes.count - shown.count
    let more = rest > 0 ? [HTML.element("li", [], "\(rest) more in the list of checks.")] : []
    return notes.isEmpty ? .nothing : .element("ul", [.class("notes")], shown + more)
  }
}

/// The word, the symbol and the colour of an outcome.
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
