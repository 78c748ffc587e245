import Glibc
import TesseraCommandLine

/// Writes messages to standard error. Ignores errors: there is no other place to report them.
enum Note {
  /// Writes a line with the program's name; replaces control characters.
  static func write(_ text: String) { writeLine("tessera: \(Terminal.printable(text))") }

  static func writeLine(_ text: String) { writeRaw("\(text)\n") }

  static func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { _ = OutputDescriptor.write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }
}
