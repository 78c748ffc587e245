public import TesseraCore
import TesseraJSON

/// The canonical form of JSON (RFC 8785), over which a signature is computed.
package enum CanonicalJSON {
  /// The UTF-8 bytes of the canonical form of a text.
  ///
  /// - Throws: `CanonicalJSONError` if the text has none.
  package static func form(ofText text: [UInt8]) throws(CanonicalJSONError) -> [UInt8] {
    let json = try StrictJSON(text)
    if let defect = json.defect { throw defect }
    return try form(of: json.value)
  }

  /// The UTF-8 bytes of the canonical form of a value.
  ///
  /// - Throws: `CanonicalJSONError` for a number that is too large, and if the value is nested deeper than 32 levels.
  package static func form(of value: JSONValue) throws(CanonicalJSONError) -> [UInt8] {
    var writer = CanonicalWriter()
    try writer.write(value, depth: 0)
    return writer.bytes
  }
}

/// `JSONWriter` writes a similar form; but it may change, and this form may not.
private struct CanonicalWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue, depth: Int) throws(CanonicalJSONError) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .integer(let integer): try number(CanonicalNumber(Double(integer)))
    case .number(let decimal): try number(CanonicalNumber(decimal))
    case .string(let text): string(text)
    case .array(let elements): try array(elements, depth: try level(after: depth))
    case .object(let members): try object(members, depth: try level(after: depth))
    }
  }

  private func level(after depth: Int) throws(CanonicalJSONError) -> Int {
    guard depth < StrictJSON.maximumNesting else { throw CanonicalJSONError(.nesting) }
    return depth + 1
  }

  private mutating func number(_ number: CanonicalNumber?) throws(CanonicalJSONError) {
    guard let number else { throw CanonicalJSONError(.number) }
    bytes += number.text.utf8
  }

  private mutating func array(_ elements: [JSONValue], depth: Int) throws(CanonicalJSONError) {
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      try write(element, depth: depth)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Members are sorted by the UTF-16 units of their names (RFC 8785, 3.2.3). That differs from the order of the
  /// scalars for those above U+FFFF, whose surrogates come before U+E000.
  private mutating func object(_ object: JSONObject, depth: Int) throws(CanonicalJSONError) {
    let members = object.members.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      string(member.name)
      bytes.append(UInt8(ascii: ":"))
      try write(member.value, depth: depth)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Only quotes, reverse solidi and the control characters below U+0020 are escaped (RFC 8785, 3.2.2.2).
  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x08: bytes += "\\b".utf8
      case 0x09: bytes += "\\t".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0C: bytes += "\\f".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0..<0x20: bytes += UInt16(byte).unicodeEscape.utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

/// The reason why a text has no canonical form (RFC 8785). It names the position and never quotes the text.
public struct CanonicalJSONError: LocalizedFailure, Equatable {
  /// What is wrong.
  public enum Reason: Sendable, Equatable {
    /// The text has over 64 kB.
    case length
    /// The bytes are not UTF-8.
    case encoding
    /// The text violates the grammar of RFC 8259.
    case syntax
    /// Arrays and objects are nested deeper than 32 levels.
    case nesting
    /// An object has two members with one name (RFC 7493, 2.3).
    case duplicateName
    /// A string contains half of a surrogate pair (RFC 7493, 2.1).
    case loneSurrogate
    /// A number is too large for IEEE 754's double precision (RFC 8785, 3.2.2.3).
    case number
  }

  /// What is wrong with the text.
  public let reason: Reason
  /// The position in bytes of UTF-8; nil if the reason concerns the whole text.
  public let offset: Int?

  init(_ reason: Reason, offset: Int? = nil) { (self.reason, self.offset) = (reason, offset) }

  /// The error in words, with its place.
  public var failure: Failure { Failure(.usage, cause + (offset.map { " (at byte \($0))." } ?? ".")) }

  private var cause: String {
    switch reason {
    case .length: "The text is longer than \(StrictJSON.maximumLength) bytes"
    case .encoding: "The text is not UTF-8"
    case .syntax: "The text is not JSON"
    case .nesting: "The JSON text is nested deeper than \(StrictJSON.maximumNesting) levels"
    case .duplicateName: "An object of the JSON text has two members with one name"
    case .loneSurrogate: "The JSON text contains half of a surrogate pair"
    case .number: "The JSON text contains a number that is too large"
    }
  }
}

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
