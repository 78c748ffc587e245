/// One section of a page, in the macros of mdoc.
struct MdocSection {
  private(set) var lines: [String]
  /// Whether a paragraph must be separated from what stands before it.
  private var needsSeparation = false

  init(_ title: String) { lines = [".Sh \(title)"] }

  var isEmpty: Bool { lines.count == 1 }

  mutating func paragraph(_ text: String) {
    let prose = Roff.prose(text)
    guard !prose.isEmpty else { return }
    if needsSeparation { lines.append(".Pp") }
    lines += prose
    needsSeparation = true
  }

  mutating func display(_ text: [String]) {
    guard !text.isEmpty else { return }
    lines += Roff.display(text)
    needsSeparation = true
  }

  mutating func subsection(_ title: String) {
    lines.append(".Ss \(Roff.line(title))")
    needsSeparation = false
  }

  /// Items with a tag: arguments of the macro `It`.
  mutating func list(_ items: [(tag: String, text: [String])]) {
    guard !items.isEmpty else { return }
    lines.append(".Bl -tag -width Ds")
    for item in items {
      lines.append(".It \(item.tag)")
      for (index, paragraph) in item.text.map(Roff.prose).filter({ !$0.isEmpty }).enumerated() {
        lines += (index == 0 ? [] : [".Pp"]) + paragraph
      }
    }
    lines.append(".El")
    needsSeparation = true
  }

  /// Lines of macros as they are.
  mutating func macros(_ text: [String]) { lines += text }
}
