import TesseraCore
import TesseraDurableFiles

/// What users write into files by hand. Some editors begin a file with a byte order mark, and end its lines with a
/// carriage return before the line feed. Neither is ever part of a passphrase, a PIN, a signature or a URI.
package enum Handwritten {
  /// U+FEFF in UTF-8.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  package static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
  }

  static func trimmed(_ text: String) -> String {
    text.trimmed { $0.properties.isWhitespace || $0 == "\u{FEFF}" }
  }

  /// The first line of a file with a secret. Reads no byte after it.
  ///
  /// - Returns: nil if the file cannot be read, or the line has more than `limit` bytes.
  package static func secret(from descriptor: Int32, upTo limit: Int) -> SecretBytes? {
    guard let line = SecretBytes(reading: descriptor, upTo: limit, endsAtLine: true) else { return nil }
    return line.withUnsafeBytes { bytes in
      let start = bytes.starts(with: mark) ? mark.count : 0
      let end = bytes.last == UInt8(ascii: "\r") ? bytes.count - 1 : bytes.count
      return SecretBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<max(start, end)]))
    }
  }
}
