import Tessera
import TesseraCommandLine

/// The name of an entry as one word of a shell, which can be passed back. Names can be any text, also one that a page has
/// chosen to look like another, or to be a command where a person pastes it.
enum QuotedName {
  private static let plain = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+=,".unicodeScalars)

  /// The name itself if it is plain; otherwise a JSON string in ASCII in single quotation marks.
  static func shown(_ name: String) -> String {
    let isPlain = !name.isEmpty && !name.hasPrefix("-") && name.unicodeScalars.allSatisfy(plain.contains)
    return isPlain ? name : "'\(quoted(name))'"
  }

  /// Without apostrophes: these would end the word of the shell.
  private static func quoted(_ name: String) -> String {
    var text = "\""
    for unit in name.utf16 {
      switch unit {
      case 0x22, 0x5C: text += "\\" + String(UnicodeScalar(UInt8(unit)))
      case 0x20..<0x27, 0x28..<0x7F: text += String(UnicodeScalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text + "\""
  }

  /// - Parameter text: A name as `shown` writes it, with or without its single quotation marks, which a shell removes.
  /// - Throws: `Failure` of the kind `usage` if it begins with a quotation mark and is no JSON string.
  static func name(_ text: String) throws -> String {
    var text = text[...]
    if text.hasPrefix("'\""), text.hasSuffix("\"'") { text = text.dropFirst().dropLast() }
    guard text.hasPrefix("\"") else { return String(text) }
    guard case .string(let name) = try? JSONValue(text: String(text)) else {
      throw Failure(
        .usage, "The name begins with a quotation mark and is no JSON string.",
        remedy: "Copy it from `tessera storage guards`, with its single quotation marks.")
    }
    return name
  }
}
