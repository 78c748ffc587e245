/// The discussion of a command, in the parts that a page shows in different places.
struct CommandText: Equatable, Sendable {
  enum Block: Equatable, Sendable {
    case paragraph(String)
    /// Lines that are shown as they are.
    case display([String])
  }

  /// All but the parts below.
  private(set) var description: [Block] = []
  /// What stands behind “Exit status:”.
  private(set) var exitStatus: String?
  /// The lines below “Example:” or “Examples:”.
  private(set) var examples: [String] = []

  init(_ discussion: String) {
    let lines = discussion.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for group in lines.split(whereSeparator: { $0.allSatisfy(\.isWhitespace) }) { add(Array(group)) }
  }

  /// - Parameter lines: without an empty line.
  private mutating func add(_ lines: [Substring]) {
    guard let first = lines.first else { return }
    let mark = "Exit status:"
    if first.hasPrefix(mark) {
      exitStatus = lines.joined(separator: " ").dropFirst(mark.count).drop { $0 == " " }.description
    } else if first.hasPrefix("Example"), first.hasSuffix(":") {
      if !examples.isEmpty { examples.append("") }
      examples += Self.unindented(lines.dropFirst())
    } else {
      addBlocks(lines)
    }
  }

  private mutating func addBlocks(_ lines: [Substring]) {
    var rest = lines[...]
    while !rest.isEmpty {
      let text = rest.prefix { !Self.isIndented($0) }
      if !text.isEmpty { description.append(.paragraph(text.joined(separator: " "))) }
      rest = rest.dropFirst(text.count)
      let display = rest.prefix(while: Self.isIndented)
      if !display.isEmpty { description.append(.display(Self.unindented(display))) }
      rest = rest.dropFirst(display.count)
    }
  }

  private static func isIndented(_ line: Substring) -> Bool { line.hasPrefix("  ") }

  private static func unindented(_ lines: ArraySlice<Substring>) -> [String] {
    let depth = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { String($0.dropFirst(depth)) }
  }
}
