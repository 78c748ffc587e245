/// A JavaScript string literal in single quotes.
package enum ScriptLiteral {
  package static func quote(_ text: String) -> String {
    var text = text
    return text.withUTF8 { bytes in
      // Each byte becomes two at most; the three bytes of U+2028 and U+2029 become six.
      String(unsafeUninitializedCapacity: 2 * bytes.count + 2) { literal in
        var count = 0
        func append(_ byte: UInt8) {
          literal[count] = byte
          count += 1
        }
        append(UInt8(ascii: "'"))
        for (index, byte) in bytes.enumerated() {
          switch byte {
          case UInt8(ascii: "\\"), UInt8(ascii: "'"):
            append(UInt8(ascii: "\\"))
            append(byte)
          case UInt8(ascii: "\n"):
            append(UInt8(ascii: "\\"))
            append(UInt8(ascii: "n"))
          case UInt8(ascii: "\r"):
            append(UInt8(ascii: "\\"))
            append(UInt8(ascii: "r"))
          // The other line ends of JavaScript: U+2028 is E2 80 A8, and U+2029 is E2 80 A9.
          case 0xA8 where index > 1 && bytes[index - 1] == 0x80 && bytes[index - 2] == 0xE2,
            0xA9 where index > 1 && bytes[index - 1] == 0x80 && bytes[index - 2] == 0xE2:
            count -= 2
            for one in (byte == 0xA8 ? "\\u2028" : "\\u2029").utf8 { append(one) }
          default: append(byte)
          }
        }
        append(UInt8(ascii: "'"))
        return count
      }
    }
  }
}
