/// Text in the notation of roff, so that groff and mandoc show each character as it is.
enum Roff {
  /// Text that a reader may copy into a shell.
  ///
  /// A plain hyphen and plain quotation marks can be shown as typographic ones.
  static func literal(_ text: String) -> String { text.map { glyph($0, isLiteral: true) }.joined() }

  /// Lines that are shown as they are, between the macros of a display.
  static func display(_ lines: [String]) -> [String] {
    [".Bd -literal -offset indent"] + lines.map { protected(literal($0)) } + [".Ed"]
  }

  /// One argument of a macro.
  static func argument(_ text: String) -> String {
    // A line break would end the macro.
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let word = literal(text)
    if word.contains(" ") { return "\"\(word)\"" }
    return isSpecial(text) ? "\\&" + word : word
  }

  /// Running text as arguments of a macro that shows one line, such as `Nd`.
  static func line(_ text: String) -> String {
    text.replacing("`", with: "").split(whereSeparator: \.isWhitespace).map { word in
      (isSpecial(String(word)) ? "\\&" : "") + rendered(word, isLiteral: looksLiteral(word))
    }.joined(separator: " ")
  }

  /// Running text: each sentence on lines of its own, as mdoc wants it. Words between backticks are bold.
  static func prose(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    var endsSentence = false
    for word in words(text) {
      let breaks = endsSentence && word.canBeginSentence
      if !line.isEmpty, breaks || line.utf8.count + 1 + word.text.utf8.count > 76 {
        lines.append(protected(line))
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word.text
      endsSentence = word.endsSentence
    }
    return line.isEmpty ? lines : lines + [protected(line)]
  }

  // MARK: - Words

  private struct Word {
    let text: String
    let canBeginSentence: Bool
    let endsSentence: Bool
  }

  /// Stands for the begin of words between backticks. No text has this character, and none the next.
  private static let bold: Character = "\u{1}"
  private static let plain: Character = "\u{2}"

  private static func words(_ text: String) -> [Word] {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    // An odd number of backticks is no markup.
    var marked = text
    if parts.count % 2 == 1 {
      marked = parts.enumerated().map { index, part in index % 2 == 1 ? "\(bold)\(part)\(plain)" : String(part) }
        .joined()
    }
    var isBold = false
    return marked.split(whereSeparator: \.isWhitespace).map { word in
      let isLiteral = isBold || word.contains(bold) || looksLiteral(word)
      if let mark = word.last(where: { $0 == bold || $0 == plain }) { isBold = mark == bold }
      let letters = word.filter { $0 != bold && $0 != plain }
      let end = letters.last { !")\"'”’".contains($0) }
      let begin = letters.first { !"(\"“‘".contains($0) }
      return Word(
        // No hyphen divides what is typed.
        text: (isLiteral && letters.count > 1 ? "\\%" : "") + rendered(word, isLiteral: isLiteral),
        canBeginSentence: word.first == bold || begin.map { $0.isUppercase || $0 == "-" || $0.isNumber } ?? false,
        endsSentence: end.map { ".?!".contains($0) } ?? false)
    }
  }

  /// Whether hyphens of the word must stay what they are: an option, a path, an address.
  private static func looksLiteral(_ word: Substring) -> Bool {
    let text = word.drop { "([\"“".contains($0) }
    return text.hasPrefix("-") || text.contains("--") || text.contains { "/=_@$<>|{}".contains($0) }
  }

  private static func rendered(_ word: Substring, isLiteral: Bool) -> String {
    word.map { character in
      if character == bold { return "\\fB" }
      return character == plain ? "\\fP" : glyph(character, isLiteral: isLiteral)
    }.joined()
  }

  // MARK: - Characters

  private static func glyph(_ character: Character, isLiteral: Bool) -> String {
    switch character {
    case "\\": "\\e"
    case "-": isLiteral ? "\\-" : "-"
    case "'": isLiteral ? "\\(aq" : "'"
    case "\"": "\\(dq"
    case "`": "\\(ga"
    case "^": "\\(ha"
    case "~": "\\(ti"
    case "…": "..."
    case "“": "\\(lq"
    case "”": "\\(rq"
    case "‘": "\\(oq"
    case "’": "\\(cq"
    case "–": "\\(en"
    case "—": "\\(em"
    case "↑": "\\(ua"
    default:
      character.unicodeScalars.map { scalar in
        if scalar.isASCII { return String(scalar) }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }.joined()
    }
  }

  /// A line that begins with a period or an apostrophe would be a request.
  private static func protected(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }

  /// Whether a macro would take the word for another macro, such as `Ar` or `No`, or for punctuation.
  private static func isSpecial(_ word: String) -> Bool {
    guard let first = word.first else { return true }
    if word.count == 1 { return ".,:;()[]?!|".contains(first) }
    return ["Brc", "Bro", "Brq"].contains(word)
      || word.count == 2 && first.isUppercase && word.allSatisfy { $0.isASCII && $0.isLetter }
  }
}
