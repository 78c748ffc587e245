/// The decimal digits of one script in one text: `12`, `١٢`, `१२`, `１２`. All digits of Unicode's category Nd are read;
/// a text with digits of two scripts is not, since nobody types one on purpose.
struct DecimalDigits {
  /// The code point of the script's zero; nil until a digit was read.
  private var zero: UInt32?

  /// - Returns: the digit of ASCII; nil if the character is no decimal digit, or one of another script than those before.
  mutating func ascii(_ scalar: Unicode.Scalar) -> UInt8? {
    guard let value = Self.value(scalar), zero == nil || zero == scalar.value - UInt32(value) else { return nil }
    zero = scalar.value - UInt32(value)
    return UInt8(ascii: "0") + value
  }

  /// 0 to 9
  private static func value(_ scalar: Unicode.Scalar) -> UInt8? {
    if scalar.isASCII {
      return "0"..."9" ~= scalar ? UInt8(scalar.value - ("0" as Unicode.Scalar).value) : nil
    }
    guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
    return UInt8(exactly: value)
  }
}
