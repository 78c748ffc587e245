import TesseraVerification

/// The findings that are not checks.
struct FindingList {
  struct Entry {
    let id: String
    let detail: String
    let isBad: Bool
  }

  let entries: [Entry]

  var html: HTML {
    guard !entries.isEmpty else { return .nothing }
    return .element(
      "section", [.class("findings")],
      [.element("h2", [], "Findings"), .element("ul", [], entries.map(Self.entry))])
  }

  private static func entry(_ entry: Entry) -> HTML {
    .element(
      "li", [(entry.isBad ? Check.Status.failed : .unsupported).colour],
      [
        .element("span", [.class("symbol"), .fixed("aria-hidden", "true")], entry.isBad ? "✗" : "!"),
        .element("p", [.class("title")], [.element("code", [], [.text(entry.id, limit: 40)])]),
        .element("p", [.class("detail")], [.chip(entry.detail, limit: 240)]),
      ])
  }
}

extension FindingList {
  /// A malformed document may have a hundred.
  private static let maximumProblems = 6

  /// Those about security, then the inconsistencies within files.
  init(report: Report) {
    let problems = report.content.findings
    let rest = problems.count - Self.maximumProblems
    self.init(
      entries: report.findings.prefix(Self.maximumProblems).map {
        Entry(id: $0.id.rawValue, detail: $0.detail, isBad: $0.speaksAgainstDocument)
      }
        + problems.prefix(Self.maximumProblems).map {
          Entry(id: $0.file, detail: "\($0.element): \($0.problem).", isBad: false)
        }
        + (rest > 0 ? [Entry(id: "…", detail: "\(rest) more inconsistencies in the files.", isBad: false)] : []))
  }
}
