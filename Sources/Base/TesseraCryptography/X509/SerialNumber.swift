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
  /// certificate or in the revocation list, and write more octets than the number needs.
  package static func isSame(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    // A list has thousands of numbers, and hardly one with such octets.
    let mayHaveSigns = left.first == 0xFF || right.first == 0xFF
    return left.drop { $0 == 0 } == right.drop { $0 == 0 } || mayHaveSigns && withoutSigns(left) == withoutSigns(right)
  }

  /// Without the octets that only repeat the sign of a negative number.
  private static func withoutSigns(_ octets: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = octets
    while rest.first == 0xFF, let next = rest.dropFirst().first, next >= 0x80 { rest = rest.dropFirst() }
    return rest
  }
}
