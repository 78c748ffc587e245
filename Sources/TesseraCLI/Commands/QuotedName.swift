import Tessera
import TesseraCommandLine

/// The name of an entry as one line of a terminal, which can be passed back. Names can be any text, also one that a page
/// has chosen to look like another.
enum QuotedName {
  /// The name itself, or a JSON string in ASCII if a terminal cannot show it as it is.
  static func shown(_ name: String) -> String {
    let isPlain = !name.isEmpty && !name.hasPrefix("\"") && Terminal.printable(name).utf8.elementsEqual(name.utf8)
    return isPlain ? name : quoted(name)
  }

  private static func quoted(_ name: String) -> String {
    var text = "\""
    for unit in name.utf16 {
      switch unit {
      case 0x22, 0x5C: text += "\\" + String(UnicodeScalar(UInt8(unit)))
      case 0x20..<0x7F: text += String(UnicodeScalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text + "\""
  }

  /// - Parameter text: A name as `shown` writes it.
  /// - Throws: `Failure` of the kind `usage` if it begins with a quotation mark and is no JSON string.
  static func name(_ text: String) throws -> String {
    guard text.hasPrefix("\"") else { return text }
    guard case .string(let name) = try? JSONValue(text: text) else {
      throw Failure(
        .usage, "The name begins with a quotation mark and is no JSON string.",
        remedy: "Copy it from `tessera storage guards`, in single quotation marks.")
    }
    return name
  }
}
