import Glibc

/// Writes messages to standard error. Ignores errors: there is no other place to report them.
package enum Note {
  /// Writes a line with the program's name; replaces control characters.
  package static func write(_ text: String) { writeLine("tessera: \(Terminal.printable(text))") }

  package static func writeLine(_ text: String) { writeRaw("\(text)\n") }

  package static func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { _ = OutputDescriptor.write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }
}
