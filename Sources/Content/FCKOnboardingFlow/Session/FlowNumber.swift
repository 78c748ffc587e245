/// A number that the user wrote.
///
/// A text is one number or none: what could be two numbers, such as `1,250` and `1.250` without a known locale, is none.
/// Read are a sign, digits in whole groups or without groups, and a decimal separator with digits behind it: `-1,234.5`,
/// `.5`.
///
/// - The separators are those of the locale. The Arabic ones, `٫` and `٬`, are read in every locale.
/// - The digits are those of any one script, and `-` can be U+2212. Full-width signs and separators are read, too.
/// - Spaces and marks of direction around the number and its sign are ignored.
/// - One decimal separator before exactly three zeros (`1,000`, `1.000`) is refused in every locale unless it groups:
///   nobody needs these zeros, and in another country the text is a thousand.
/// - Exponents, hexadecimal digits, `NaN` and infinity are no numbers, and neither is what is half typed: `-`, `5.`.
package struct FlowNumber: Sendable, Equatable {
  /// The longest text that is read, in Unicode scalars.
  private static let maximumLength = 64

  /// The shortest decimal text of exactly this number: `-1234.5`.
  let text: String
  /// The nearest value.
  let value: Double

  /// - Returns: nil if the text is no number.
  package init?(_ text: String, _ format: FlowNumberFormat) {
    var body = EntryText.trimmed(text).unicodeScalars.prefix(Self.maximumLength + 1).map(Self.plain)
    guard body.count <= Self.maximumLength else { return nil }
    Self.dropMarks(&body)
    var isNegative = false
    if let sign = body.first, sign == "+" || sign == "-" {
      isNegative = sign == "-"
      body.removeFirst()
      Self.dropMarks(&body)
    }
    guard let parts = Parts(body, format), let digits = parts.digits(format) else { return nil }
    let text = isNegative && digits != "0" ? "-\(digits)" : digits
    guard let value = Double(text), value.isFinite else { return nil }
    self.text = text
    self.value = value
  }

  /// U+2212, and the signs and separators of full-width keyboards, as those of ASCII.
  private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "\u{2212}", "\u{FF0D}": "-"
    case "\u{FF0B}": "+"
    case "\u{FF0C}": ","
    case "\u{FF0E}": "."
    default: scalar
    }
  }

  /// Marks of direction stand around a sign in locales that are written from right to left (CLDR).
  private static func dropMarks(_ scalars: inout [Unicode.Scalar]) {
    func isMark(_ scalar: Unicode.Scalar) -> Bool { ["\u{61C}", "\u{200E}", "\u{200F}"].contains(scalar) }
    scalars.removeFirst(scalars.prefix(while: isMark).count)
    scalars.removeLast(scalars.reversed().prefix(while: isMark).count)
  }
}

/// The digits of a number without its sign.
private struct Parts {
  private var groups: [[UInt8]] = [[]]
  private var fraction: [UInt8]?
  private var decimal: Unicode.Scalar?

  init?(_ scalars: [Unicode.Scalar], _ format: FlowNumberFormat) {
    var digits = DecimalDigits()
    var separator: Unicode.Scalar?
    for scalar in scalars {
      if let digit = digits.ascii(scalar) {
        if fraction == nil { groups[groups.count - 1].append(digit) } else { fraction?.append(digit) }
      } else if fraction == nil, format.isDecimalSeparator(scalar) {
        fraction = []
        decimal = scalar
      } else if fraction == nil, format.isGroupSeparator(scalar), separator == nil || separator == scalar {
        separator = scalar
        groups.append([])
      } else {
        return nil
      }
    }
  }

  /// The shortest text; nil if the digits are no number, or two.
  func digits(_ format: FlowNumberFormat) -> String? {
    let whole = groups.flatMap(\.self)
    // Something stands on a side of the separator, and behind it always.
    guard fraction.map({ !$0.isEmpty }) ?? !whole.isEmpty, isGroupedWell(format), !isAmbiguous(format) else {
      return nil
    }
    let zero = UInt8(ascii: "0")
    let left = whole.drop { $0 == zero }
    let right = (fraction ?? []).reversed().drop { $0 == zero }.reversed()
    let text = String(decoding: left.isEmpty ? [zero] : Array(left), as: UTF8.self)
    return right.isEmpty ? text : "\(text).\(String(decoding: Array(right), as: UTF8.self))"
  }

  /// The first group has one to three digits and does not begin with 0; the others have three. In India all but the last
  /// can have two.
  private func isGroupedWell(_ format: FlowNumberFormat) -> Bool {
    guard groups.count > 1 else { return true }
    guard Self.canBeFirst(groups[0]) else { return false }
    let counts = groups.map(\.count)
    if counts.dropFirst().allSatisfy({ $0 == 3 }) { return true }
    return format.hasGroupsOfTwo && counts[0] <= 2 && counts.last == 3
      && counts.dropFirst().dropLast().allSatisfy { $0 == 2 }
  }

  /// Whether the only separator could as well end a group of another country's number.
  private func isAmbiguous(_ format: FlowNumberFormat) -> Bool {
    guard let fraction, fraction.count == 3, groups.count == 1, Self.canBeFirst(groups[0]),
      decimal == "." || decimal == ","
    else { return false }
    return !format.isKnown || fraction.allSatisfy { $0 == UInt8(ascii: "0") }
  }

  private static func canBeFirst(_ group: [UInt8]) -> Bool {
    1...3 ~= group.count && group.first != UInt8(ascii: "0")
  }
}
