internal import Tessera

/// Edits single lines on the terminal, with a remark that is updated after each key. Converts letters to upper case and
/// ignores characters that the line cannot contain.
struct LineEditor {
  /// The remark next to the line.
  enum Remark: Equatable {
    case none
    case fine(String)
    /// The line is incomplete.
    case unfinished(String)
    /// The line is invalid.
    case wrong(String)

    fileprivate var text: String {
      switch self {
      case .none: ""
      case .fine(let text), .unfinished(let text), .wrong(let text): text
      }
    }

    /// Why the line may not end, in a few words; nil if it may.
    fileprivate var obstacle: String? {
      switch self {
      case .none, .fine: nil
      case .unfinished(""): "not complete"
      case .unfinished(let text): "not complete (\(text))"
      case .wrong(let text): text
      }
    }
  }

  fileprivate enum Key {
    static let endOfInput: UInt8 = 0x04
    static let escape: UInt8 = 0x1B
    static let eraseLine: UInt8 = 0x15
    static let bell = "\u{07}"
  }

  fileprivate let terminal: ControllingTerminal
  /// Exceeds every line of a zone.
  private static let longest = 90

  func show(_ text: String) { terminal.show(text + "\n") }

  /// - Parameters:
  ///   - prompt: the text before the line, without the colon.
  ///   - field: what the line is, for the sentence after an Enter that is refused.
  ///   - expected: what to type, as a sentence.
  ///   - signs: the characters that the line may contain besides letters and digits.
  ///   - remark: returns the remark on the text so far.
  /// - Returns: a line without the remark `unfinished` or `wrong`.
  /// - Throws: `Failure` of the kind `usage` at the end of the input; `CancellationError`.
  func line(
    _ prompt: String, field: String, expected: String, signs: String = "<-", remark: (String) -> Remark
  ) throws -> String {
    show(prompt + ":")
    var text = ""
    var lastRefusal = ""
    draw(text, remark(text))
    while true {
      switch try terminal.key() {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        guard let obstacle = remark(text).obstacle else {
          terminal.show("\n")
          return text
        }
        let refusal = "\(field): \(obstacle). \(expected)"
        // In rows of its own above the line, once for each reason.
        let rows = Self.rows(of: refusal, width: terminal.width - 3).joined(separator: "\n  ")
        terminal.show(Key.bell + (refusal == lastRefusal ? "" : "\r\u{1B}[K  \(rows)\n"))
        lastRefusal = refusal
      case nil, Key.endOfInput:
        throw Failure(
          .usage, "No key was specified.",
          remedy: "Use --mrz, or --document-number, --date-of-birth and --date-of-expiry, or --can.")
      case 0x08, 0x7F: _ = text.popLast()
      case Key.eraseLine: text = ""
      case Key.escape: try terminal.skipSequence()
      case let byte?:
        if text.count < Self.longest, let character = Self.character(byte, signs) { text.append(character) }
      }
      draw(text, remark(text))
    }
  }

  /// Divides a sentence between words.
  static func rows(of text: String, width: Int) -> [String] {
    text.split(separator: " ").reduce(into: []) { rows, word in
      if let last = rows.last, last.count + 1 + word.count <= width {
        rows[rows.count - 1] = "\(last) \(word)"
      } else {
        rows.append(String(word))
      }
    }
  }

  private static func character(_ byte: UInt8, _ signs: String) -> Character? {
    let character = Character(Unicode.Scalar(byte))
    let isAccepted = character.isASCII && (character.isLetter || character.isNumber || signs.contains(character))
    return isAccepted ? Character(character.uppercased()) : nil
  }

  /// Redraws the row. Truncates the remark at the right margin: the next redraw would not erase a second row.
  private func draw(_ text: String, _ remark: Remark) {
    let room = max(0, terminal.width - text.count - 5)
    terminal.show("\r\u{1B}[K  \(text)  \(remark.text.prefix(room))\r\u{1B}[\(text.count + 2)C")
  }
}

extension ControllingTerminal {
  /// Calls `body` with a line editor and restores the terminal's settings afterwards.
  func editing<Result>(_ body: (LineEditor) throws -> Result) throws -> Result {
    guard let settings else { throw Failure(.usage, "The terminal cannot be used.", remedy: "Use --mrz.") }
    restoreAtExit(settings)
    disableLineMode()
    defer {
      restore(settings)
      Interruption.atExit(nil)
    }
    return try body(LineEditor(terminal: self))
  }
}
