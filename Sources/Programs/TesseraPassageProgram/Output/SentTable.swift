import PassageProtocol
import TesseraCore

/// The log of what was sent as a table for the user.
struct SentTable {
  private let rows: [[String]]

  private static let heading = ["TIME (UTC)", "KIND", "TO", "BYTES", "CONTENTS", "OF"]

  init(_ entries: [SentEntry]) {
    rows = [Self.heading] + entries.map(Self.row)
  }

  var text: String {
    let widths = Self.heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
      return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }

  private static func row(_ entry: SentEntry) -> [String] {
    [
      entry.time.textWithMilliseconds, entry.kind.rawValue, entry.server, "\(entry.size)", contents(entry),
      entry.domains.joined(separator: ", "),
    ].map(PrintableText.of)
  }

  private static func contents(_ entry: SentEntry) -> String {
    var parts: [String] = []
    if entry.cookies > 0 { parts.append("\(entry.cookies) \(entry.cookies == 1 ? "cookie" : "cookies")") }
    let stored = entry.localStorage + entry.sessionStorage
    if stored > 0 { parts.append("\(stored) stored") }
    if entry.html > 0 { parts.append("HTML (\(entry.html))") }
    if entry.screenshot > 0 { parts.append("picture (\(entry.screenshot))") }
    return parts.isEmpty ? "-" : parts.joined(separator: ", ")
  }
}
