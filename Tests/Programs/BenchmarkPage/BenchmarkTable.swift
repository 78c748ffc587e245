/// Rows of one kind, with a heading.
package struct BenchmarkTable: Sendable, Equatable {
  package let title: String
  package let rows: [BenchmarkRow]

  /// The cell of a value that is missing.
  package static let nothing = "–"

  package init(_ title: String, _ rows: [BenchmarkRow]) {
    self.title = title
    self.rows = rows
  }

  /// A heading and a table. A table whose rows have no peers has no column for them.
  package var markdown: String {
    let hasPeers = rows.contains { !$0.peers.isEmpty }
    var columns = [MarkdownTable.Column("work"), MarkdownTable.Column("unit")]
    if hasPeers { columns.append(MarkdownTable.Column("peers")) }
    columns += [
      MarkdownTable.Column("floor", .right), MarkdownTable.Column("Tessera", .right),
      MarkdownTable.Column("what the floor is"),
    ]
    let cells = rows.map { row -> [String] in
      var cells = [row.work, row.unit.rawValue]
      if hasPeers { cells.append(Self.text(row.peers)) }
      return cells + [Self.text(row.floor, row.unit), Self.text(row.ours, row.unit), row.floorName ?? Self.nothing]
    }
    return "### \(MarkdownTable.escaped(title))\n\n" + MarkdownTable(columns: columns, rows: cells).text
  }

  private static func text(_ peers: [PeerFigure]) -> String {
    peers.isEmpty ? nothing : peers.map { "\($0.name) \($0.figure)" }.joined(separator: ", ")
  }

  private static func text(_ value: Double?, _ unit: BenchmarkUnit) -> String {
    value.map { unit.text($0) } ?? nothing
  }
}
