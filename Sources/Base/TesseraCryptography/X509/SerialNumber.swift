/// Serial numbers of certificates, as the octets of a two's complement number, not necessarily of minimal length.
package enum SerialNumber {
  /// Upper-case hexadecimal, with a leading `-` for a negative number.
  static func text(_ octets: ArraySlice<UInt8>) -> String {
    let isNegative = octets.first.map { $0 >= 0x80 } ?? false
    var magnitude = Array(octets)
    if isNegative {
      var carry = true
      for index in magnitude.indices.reversed() {
        magnitude[index] = ~magnitude[index]
        if carry {
          magnitude[index] &+= 1
          carry = magnitude[index] == 0
        }
      }
    }
    let digits = magnitude.drop { $0 == 0 }.hexadecimal
    return (isNegative ? "-" : "") + (digits.isEmpty ? "0" : digits)
  }

  /// Whether two encodings are the same number. Issuers omit the zero before a number with its highest bit set, in the
  /// certificate or in the revocation list.
  package static func isSame(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    left.drop { $0 == 0 } == right.drop { $0 == 0 }
  }
}
