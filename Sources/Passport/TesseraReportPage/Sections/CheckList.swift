import TesseraVerification

/// Every check: symbol, name, word, identifier and reason, in groups.
struct CheckList {
  struct Entry {
    let id: String
    let name: String
    let status: Check.Status
    let detail: String
  }

  struct Group {
    let title: String
    /// What the checks of the group answer.
    let question: String
    let entries: [Entry]
  }

  /// From left to right.
  let columns: [[Group]]

  var html: HTML {
    .element(
      "section", [.class("checks")],
      [
        .element("h2", [], "Checks"),
        .element("div", [.class("columns")], columns.map { .element("div", [], $0.map(Self.group)) }),
      ])
  }

  private static func group(_ group: Group) -> HTML {
    .element(
      "div", [.class("group")],
      [
        .element("h3", [], [.text(group.title), " ", .element("small", [], group.question)]),
        .element("ul", [], group.entries.map(entry)),
      ])
  }

  private static func entry(_ check: Entry) -> HTML {
    .element(
      "li", [check.status.colour],
      [
        .element("span", [.class("symbol"), .fixed("aria-hidden", "true")], check.status.symbol),
        .element(
          "p", [.class("title")],
          [
            .element("b", [], check.name), " ", .element("span", [.class("word")], check.status.word), " ",
            .element("code", [], check.id),
          ]),
        .element("p", [.class("detail")], [.chip(check.detail, limit: 320)]),
      ])
  }
}

extension CheckList {
  init(report: Report) {
    func group(_ group: Check.ID.Group) -> Group {
      let entries = report.checks.filter { $0.id.group == group }.map { check in
        Entry(id: check.id.rawValue, name: check.id.name, status: check.status, detail: check.detail)
      }
      return Group(title: group.title, question: group.question, entries: entries)
    }
    self.init(columns: [[group(.data)], [group(.chip), group(.document)]])
  }
}
