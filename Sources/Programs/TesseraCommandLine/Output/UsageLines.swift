/// Folds the lines of a help text or an error that show how a command is called: the argument parser folds all others,
/// and prints these in one line of any length.
package enum UsageLines {
  /// As the argument parser's, for an output that is no terminal.
  private static let width = 80
  private static let starts = ["USAGE: ", "Usage: "]

  /// The text, without such a line of more than 80 columns.
  package static func folded(_ text: String) -> String {
    guard starts.contains(where: text.contains) else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      starts.contains(where: line.hasPrefix) && line.count > width ? folded(line: line) : String(line)
    }.joined(separator: "\n")
  }

  private static func folded(line: Substring) -> String {
    var lines: [String] = []
    var current = ""
    for part in parts(of: line) {
      if current.isEmpty {
        current = part
      } else if current.count + 1 + part.count <= width {
        current += " " + part
      } else {
        lines.append(current)
        // Below the name of the command.
        current = "       " + part
      }
    }
    return (lines + [current]).joined(separator: "\n")
  }

  /// What stays in one line: `[--at <date>]`, `--subject <name>`, `<file> ...`.
  private static func parts(of line: Substring) -> [String] {
    var parts: [String] = []
    var depth = 0
    for word in line.split(separator: " ").map(String.init) {
      let isValue = word.hasPrefix("<") && parts.last.map { $0.hasPrefix("-") && !$0.contains(" ") } ?? false
      let belongs = depth > 0 || word == "..." || isValue
      if belongs, let last = parts.popLast() { parts.append(last + " " + word) } else { parts.append(word) }
      depth += word.count { $0 == "[" } - word.count { $0 == "]" }
    }
    return parts
  }
}

extension String {
  /// The text, filled with spaces up to the width in characters.
  package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Substring {
  /// The text without leading and trailing spaces.
  package var trimmingSpaces: Substring {
    let start = drop { $0 == " " }
    return start.prefix(start.count - start.reversed().prefix { $0 == " " }.count)
  }
}
