/// A table in Markdown, as DocC and GitHub read it.
package struct MarkdownTable: Sendable {
  package enum Alignment: String, Sendable {
    case left = "---"
    case right = "---:"
  }

  package struct Column: Sendable {
    package let title: String
    package let alignment: Alignment

    package init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  package let columns: [Column]
  package let rows: [[String]]

  package init(columns: [Column], rows: [[String]]) {
    self.columns = columns
    self.rows = rows
  }

  /// The lines of the table, without a line break at the end. Each has as many cells as there are columns.
  package var text: String {
    let head = [line(columns.map { Self.escaped($0.title) }), line(columns.map(\.alignment.rawValue))]
    let body = rows.map { row in
      line(columns.indices.map { row.indices.contains($0) ? Self.escaped(row[$0]) : "" })
    }
    return (head + body).joined(separator: "\n")
  }

  private func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

  /// A text that Markdown shows as it is, on one line. The second of two hyphens is escaped too: DocC would replace the
  /// two by a dash.
  package static func escaped(_ text: String) -> String {
    var result = ""
    var previous: Character?
    for character in text {
      switch character {
      case "\\", "|", "`", "*", "_", "<", ">", "[", "]", "&": result += "\\\(character)"
      case "-" where previous == "-": result += "\\-"
      case _ where character.isNewline: result += " "
      default: result.append(character)
      }
      previous = character
    }
    return result
  }
}
