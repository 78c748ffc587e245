#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// `Time` of certificates and revocation lists (RFC 5280, 4.1.2.5).
enum DERTime {
  /// Decodes `YYMMDDhhmm[ss]Z` or `YYYYMMDDhhmm[ss[.f]]Z`, and a time zone in the form `+hhmm`, which some certificates
  /// have. A fraction of a second, which ITU-T X.690, 11.7 permits and RFC 5280 does not, counts as nothing.
  ///
  /// - Throws: `CryptographyError.malformed` for every other form.
  static func date(_ value: DERValue) throws -> Date {
    guard value.tag == DERValue.Tag.utcTime || value.tag == DERValue.Tag.generalizedTime,
      let seconds = seconds(value.content, hasShortYear: value.tag == DERValue.Tag.utcTime)
    else { throw CryptographyError.malformed("date") }
    return Date(timeIntervalSince1970: Double(seconds))
  }

  /// - Parameter content: of a `GeneralizedTime` with another tag.
  static func date(generalizedTime content: ArraySlice<UInt8>) throws -> Date {
    guard let seconds = seconds(content, hasShortYear: false) else { throw CryptographyError.malformed("date") }
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static func seconds(_ content: ArraySlice<UInt8>, hasShortYear: Bool) -> Int? {
    var rest = content
    guard var year = digits(&rest, hasShortYear ? 2 : 4) else { return nil }
    // RFC 5280, 4.1.2.5.1.
    if hasShortYear { year += year >= 50 ? 1900 : 2000 }
    guard let month = digits(&rest, 2), (1...12).contains(month), let day = digits(&rest, 2), (1...31).contains(day),
      let hour = digits(&rest, 2), hour < 24, let minute = digits(&rest, 2), minute < 60
    else { return nil }
    var second = 0
    if let next = rest.first, isDigit(next) {
      guard let value = digits(&rest, 2), value <= 60 else { return nil }
      second = value
      if !hasShortYear, rest.first == UInt8(ascii: ".") {
        let fraction = rest.dropFirst()
        rest = fraction.drop(while: isDigit)
        guard rest.startIndex > fraction.startIndex else { return nil }
      }
    }
    guard let zone = zone(rest) else { return nil }
    return days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - zone
  }

  /// Seconds east of Greenwich.
  private static func zone(_ text: ArraySlice<UInt8>) -> Int? {
    var rest = text
    guard let sign = rest.popFirst() else { return nil }
    if sign == UInt8(ascii: "Z") { return rest.isEmpty ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = digits(&rest, 2), hours < 24,
      let minutes = digits(&rest, 2), minutes < 60, rest.isEmpty
    else { return nil }
    return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "+") ? 1 : -1)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func digits(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> Int? {
    guard rest.count >= count else { return nil }
    var value = 0
    for _ in 0..<count {
      let byte = rest.removeFirst()
      guard isDigit(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
  }

  /// The days since 1970-01-01 in the Gregorian calendar: counts in years that begin in March, so that the leap day is
  /// the last of a year.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
