/// Bytes as text.
enum RecordText {
  /// Two lower-case digits.
  static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0\(digits)" : digits
  }

  static func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { hexadecimal($0) }.joined() }
}
