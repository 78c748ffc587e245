import TesseraVerification

/// The files as read, with their digests.
struct FileTable {
  let report: Report

  /// More than any document has: sixteen data groups and six other files.
  static let maximumRows = 24

  var html: HTML {
    .element(
      "section", [.class("files")],
      [
        .element("h2", [], "Files"),
        .element("table", [], [head, .element("tbody", [], report.files.prefix(Self.maximumRows).map(Self.row))]),
      ])
  }

  private var head: HTML {
    let names = ["File", "Bytes", "SHA-256", "Digest in EF.SOD"]
    return .element(
      "thead", [], [.element("tr", [], names.map { .element("th", [.fixed("scope", "col")], $0) })])
  }

  private static func row(_ file: Report.File) -> HTML {
    .element(
      "tr", [],
      [
        .element("th", [.fixed("scope", "row")], file.name), .element("td", [.class("number")], "\(file.bytes)"),
        .element("td", [.title(file.sha256)], [.element("code", [], file.sha256.prefix(16) + "…")]),
        digest(file.digest),
      ])
  }

  /// The three states of `Report.File.digest`; EF.SOD has no digests of other files than data groups.
  private static func digest(_ state: String?) -> HTML {
    let cell: (status: Check.Status, word: String) =
      switch state {
      case "matches": (.passed, "matches")
      case "differs": (.failed, "differs")
      case "notCovered": (.failed, "not covered")
      default: (.skipped, "not listed")
      }
    return .element("td", [cell.status.colour], [.element("b", [], cell.status.symbol), .text(" \(cell.word)")])
  }
}
