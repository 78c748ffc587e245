import TesseraVerification

/// Every check: symbol, name, word, identifier and reason, in three groups.
struct CheckList {
  let report: Report

  var html: HTML {
    .element(
      "section", [.class("checks")],
      [
        .element("h2", [], "Checks"),
        .element(
          "div", [.class("columns")],
          [
            .element("div", [], [group(.data)]),
            .element("div", [], [group(.chip), group(.document)]),
          ]),
      ])
  }

  private func group(_ group: Check.ID.Group) -> HTML {
    .element(
      "div", [.class("group")],
      [
        .element("h3", [], [.text(group.title), " ", .element("small", [], group.question)]),
        .element("ul", [], report.checks.filter { $0.id.group == group }.map(Self.entry)),
      ])
  }

  private static func entry(_ check: Check) -> HTML {
    .element(
      "li", [check.status.colour],
      [
        .element("span", [.class("symbol"), .fixed("aria-hidden", "true")], check.status.symbol),
        .element(
          "p", [.class("title")],
          [
            .element("b", [], check.id.name), " ", .element("span", [.class("word")], check.status.word), " ",
            .element("code", [], check.id.rawValue),
          ]),
        .element("p", [.class("detail")], [.chip(check.detail, limit: 320)]),
      ])
  }
}
