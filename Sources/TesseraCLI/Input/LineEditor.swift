import Foundation
import Tessera

/// Lines that a person types at the terminal, each with a remark beside it that follows every key. Letters become capital
/// ones; what belongs to no machine readable zone is not taken.
struct LineEditor {
  /// What is said beside the line.
  enum Remark: Equatable {
    case none
    case fine(String)
    /// The line cannot end so yet.
    case unfinished(String)
    /// The line cannot end so.
    case wrong(String)

    fileprivate var text: String {
      switch self {
      case .none: ""
      case .fine(let text), .unfinished(let text), .wrong(let text): text
      }
    }

    fileprivate var mayEnd: Bool {
      switch self {
      case .none, .fine: true
      case .unfinished, .wrong: false
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
  /// Longer than any line of a zone.
  private static let longest = 90

  func show(_ text: String) { terminal.show(text + "\n") }

  /// - Parameter remark: on what is typed so far.
  /// - Returns: a line that may end so.
  /// - Throws: `Failure` of the kind `usage` at the end of the input; `CancellationError`.
  func line(_ prompt: String, remark: (String) -> Remark) throws -> String {
    show(prompt + ":")
    var text = ""
    draw(text, remark(text))
    while true {
      switch try terminal.key() {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        guard remark(text).mayEnd else {
          terminal.show(Key.bell)
          continue
        }
        terminal.show("\n")
        return text
      case nil, Key.endOfInput:
        throw Failure(
          .usage, "No key was given.", remedy: "Give --mrz, or --document-number, --date-of-birth and --date-of-expiry."
        )
      case 0x08, 0x7F: _ = text.popLast()
      case Key.eraseLine: text = ""
      case Key.escape: try terminal.skipSequence()
      case let byte?: if let character = Self.character(byte), text.count < Self.longest { text.append(character) }
      }
      draw(text, remark(text))
    }
  }

  private static func character(_ byte: UInt8) -> Character? {
    let character = Character(Unicode.Scalar(byte))
    let isTaken = character.isASCII && (character.isLetter || character.isNumber || "<-".contains(character))
    return isTaken ? Character(character.uppercased()) : nil
  }

  /// Once more in the same row; a remark that the row has no room for is cut, since a second row would stay behind.
  private func draw(_ text: String, _ remark: Remark) {
    let room = max(0, terminal.width - text.count - 5)
    terminal.show("\r\u{1B}[K  \(text)  \(remark.text.prefix(room))\r\u{1B}[\(text.count + 2)C")
  }
}

extension ControllingTerminal {
  /// Lends an editor; the terminal is as before when the body ends.
  func editing<Result>(_ body: (LineEditor) throws -> Result) throws -> Result {
    guard let settings else { throw Failure(.usage, "The terminal cannot be used.", remedy: "Give a key by --mrz.") }
    takeKeys()
    defer { restore(settings) }
    return try body(LineEditor(terminal: self))
  }
}
