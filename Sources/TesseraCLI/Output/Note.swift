import Foundation

/// Remarks on standard error.
enum Note {
  static func write(_ text: String) { writeLine("tessera: \(text)") }

  static func writeLine(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
