import TesseraVerification

/// The findings that are not checks: those about security, then the inconsistencies within files.
struct FindingList {
  let report: Report

  /// A malformed document may have a hundred.
  private static let maximumProblems = 6

  var html: HTML {
    let problems = report.content.findings
    let rest = problems.count - Self.maximumProblems
    let entries =
      report.findings.prefix(Self.maximumProblems).map {
        Self.entry($0.speaksAgainstDocument ? .failed : .unsupported, $0.id.rawValue, $0.detail)
      }
      + problems.prefix(Self.maximumProblems).map {
        Self.entry(.unsupported, $0.file, "\($0.element): \($0.problem).")
      }
      + (rest > 0 ? [Self.entry(.unsupported, "…", "\(rest) more inconsistencies in the files.")] : [])
    guard !entries.isEmpty else { return .nothing }
    return .element("section", [.class("findings")], [.element("h2", [], "Findings"), .element("ul", [], entries)])
  }

  private static func entry(_ status: Check.Status, _ id: String, _ detail: String) -> HTML {
    .element(
      "li", [status.colour],
      [
        .element("span", [.class("symbol"), .fixed("aria-hidden", "true")], status == .failed ? "✗" : "!"),
        .element("p", [.class("title")], [.element("code", [], [.text(id, limit: 40)])]),
        .element("p", [.class("detail")], [.chip(detail, limit: 240)]),
      ])
  }
}
