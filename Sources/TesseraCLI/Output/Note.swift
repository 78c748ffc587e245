import Foundation

/// Remarks on standard error.
enum Note {
  static func write(_ text: String) { writeLine("tessera: \(Terminal.printable(text))") }

  /// Nothing can be done where even standard error cannot be written to.
  static func writeRaw(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

  static func writeLine(_ text: String) { writeRaw("\(text)\n") }
}
