/// What one run measured, and where.
package struct BenchmarkReport: Sendable {
  /// The day in the form of ISO 8601.
  package let day: String
  package let machine: MeasuredMachine
  /// Where and when the peers were measured.
  package let originOfPeers: String
  package let tables: [BenchmarkTable]

  package init(day: String, machine: MeasuredMachine, originOfPeers: String, tables: [BenchmarkTable]) {
    self.day = day
    self.machine = machine
    self.originOfPeers = originOfPeers
    self.tables = tables
  }

  /// The part of the page between the marks, without a line break at the end.
  package var markdown: String {
    let nothing = BenchmarkTable.nothing
    let head = """
      Measured on \(MarkdownTable.escaped(day)): \(MarkdownTable.escaped(machine.text)).

      \(MarkdownTable.escaped(originOfPeers)) A "\(nothing)" in the column Tessera means that this run did not measure
      the row.
      """
    return ([head] + tables.map(\.markdown)).joined(separator: "\n\n")
  }
}
