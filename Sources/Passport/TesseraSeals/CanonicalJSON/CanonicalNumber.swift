import TesseraJSON

/// A number as ECMAScript prints it (RFC 8785, 3.2.2.3; ECMA-262, `Number::toString` with radix 10).
struct CanonicalNumber {
  let text: String

  /// nil if the number is not finite in IEEE 754's double precision.
  init?(_ number: JSONNumber) {
    // `JSONNumber.double` refuses long numbers. Swift converts those of a whole text of 64 kB in 0.1 ms.
    guard let double = Double(number.text) else { return nil }
    self.init(double)
  }

  /// nil for infinity and for a value that is no number.
  init?(_ number: Double) {
    guard number.isFinite else { return nil }
    guard number != 0 else {
      text = "0"  // minus zero, too
      return
    }
    let (digits, point) = Self.shortestDigits(number.magnitude)
    text = (number < 0 ? "-" : "") + Self.layout(digits, point)
  }

  /// The shortest digits that give the number back, without zeros at both ends. The number is `0.digits · 10^point`.
  ///
  /// Swift's description has these digits, as ECMAScript demands: of the shortest ones those nearest to the number.
  /// Only its layout is another one: `1e-05`, `100.0`.
  private static func shortestDigits(_ number: Double) -> (digits: [UInt8], point: Int) {
    let description = number.description.utf8
    let mantissa = description.prefix { $0 != UInt8(ascii: "e") }
    let exponent = Int(Substring(description.dropFirst(mantissa.count + 1))) ?? 0
    let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }.count
    let digits = mantissa.filter { $0 != UInt8(ascii: ".") }
    let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
    var significant = Array(digits.dropFirst(zeros))
    while significant.last == UInt8(ascii: "0") { significant.removeLast() }
    return (significant, whole + exponent - zeros)
  }

  /// ECMA-262, `Number::toString`: `n` there is `point` here, and `k` is the number of digits.
  private static func layout(_ digits: [UInt8], _ point: Int) -> String {
    func text(_ part: some Sequence<UInt8>) -> String { String(decoding: Array(part), as: UTF8.self) }
    switch point {
    case 1...21 where point >= digits.count:
      return text(digits) + String(repeating: "0", count: point - digits.count)
    case 1...21: return "\(text(digits.prefix(point))).\(text(digits.dropFirst(point)))"
    case -5...0: return "0." + String(repeating: "0", count: -point) + text(digits)
    default:
      let exponent = point > 0 ? "+\(point - 1)" : "\(point - 1)"
      let fraction = digits.count > 1 ? "." + text(digits.dropFirst()) : ""
      return "\(text(digits.prefix(1)))\(fraction)e\(exponent)"
    }
  }
}
