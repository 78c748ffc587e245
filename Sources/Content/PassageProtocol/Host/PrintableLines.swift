internal import TesseraCore

/// Makes the output of a program into lines that a terminal only shows.
struct PrintableLines {
  private let longest: Int
  private var left: Int
  private var line: [UInt8] = []

  /// - Parameters:
  ///   - longest: Of a line, in bytes; its rest is left out.
  ///   - most: Of all lines, in bytes; what follows is left out.
  init(longest: Int, most: Int) {
    self.longest = longest
    left = most
  }

  /// - Returns: The lines that are complete now, each with its end.
  mutating func receive(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      if byte == UInt8(ascii: "\n") { text += end() } else if line.count < longest { line.append(byte) }
    }
    return text
  }

  /// - Returns: What is left, as a line; empty if nothing is.
  mutating func end() -> String {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty, left > 0 else { return "" }
    left -= line.count
    return PrintableText.of(String(decoding: line, as: UTF8.self)) + "\n"
  }
}
