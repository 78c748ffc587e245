/// A day and a time of day as the user chose them. It has no time zone: it is stored as if it were UTC, so that what
/// is read is what was chosen.
package struct FlowDateTime: Sendable, Hashable {
  /// 1 to 9999
  package let year: Int
  package let month: Int
  package let day: Int
  package let hour: Int
  package let minute: Int

  /// A time without a day has the first day of 1970.
  ///
  /// - Returns: nil if there is no such day or time in the Gregorian calendar.
  package init?(year: Int = 1970, month: Int = 1, day: Int = 1, hour: Int = 0, minute: Int = 0) {
    guard 1...9999 ~= year, 1...12 ~= month, 1...Self.days(in: month, of: year) ~= day, 0..<24 ~= hour, 0..<60 ~= minute
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
  }

  /// The number of days of a month, 1 to 12.
  static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    default: 31
    }
  }

  /// `YYYY-MM-DD`
  package var dayText: String { "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))" }

  /// `hh:mm`
  package var timeText: String { "\(Self.digits(hour, 2)):\(Self.digits(minute, 2))" }

  /// What is stored: ISO 8601, for example `1990-05-01T00:00:00Z`.
  package var text: String { "\(dayText)T\(timeText):00Z" }

  /// The value as it is read in a field of this mode, and as HTML writes it: `1990-05-01`, `08:30` or
  /// `1990-05-01T08:30`.
  package func text(_ mode: FlowDatePicker.Mode) -> String {
    switch mode {
    case .date: dayText
    case .time: timeText
    case .datetime: "\(dayText)T\(timeText)"
    }
  }

  /// Reads what `text(_:)` writes, with the digits of any one script and with spaces around it. Seconds are ignored.
  ///
  /// - Returns: nil if the text is no such value.
  package init?(_ text: String, mode: FlowDatePicker.Mode) {
    guard let bytes = Self.bytes(EntryText.trimmed(text)) else { return nil }
    let time = mode == .datetime ? 11 : 0
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
      else { return nil }
      return bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    func has(_ character: Unicode.Scalar, at index: Int) -> Bool {
      index < bytes.count && bytes[index] == UInt8(ascii: character)
    }
    var parts: (year: Int, month: Int, day: Int, hour: Int, minute: Int) = (1970, 1, 1, 0, 0)
    if mode != .time {
      guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
        let day = number(8..<10), mode == .datetime || bytes.count == 10
      else { return nil }
      (parts.year, parts.month, parts.day) = (year, month, day)
    }
    if mode != .date {
      guard mode == .time || has("T", at: 10) || has(" ", at: 10), let hour = number(time..<(time + 2)),
        has(":", at: time + 2), let minute = number((time + 3)..<(time + 5)),
        Self.isSeconds(bytes.dropFirst(time + 5))
      else { return nil }
      (parts.hour, parts.minute) = (hour, minute)
    }
    self.init(year: parts.year, month: parts.month, day: parts.day, hour: parts.hour, minute: parts.minute)
  }

  /// The longest text that is read, in Unicode scalars.
  private static let maximumLength = 40

  /// The text with digits of ASCII; nil if it is too long, or has other characters.
  private static func bytes(_ text: String) -> [UInt8]? {
    let scalars = text.unicodeScalars.prefix(maximumLength + 1)
    guard scalars.count <= maximumLength else { return nil }
    var digits = DecimalDigits()
    var bytes: [UInt8] = []
    for scalar in scalars {
      guard let byte = digits.ascii(scalar) ?? ("-:T .".unicodeScalars.contains(scalar) ? UInt8(scalar.value) : nil)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  /// Whether the end of a time is nothing, or seconds as HTML writes them: `:15`, `:15.5`.
  private static func isSeconds(_ end: ArraySlice<UInt8>) -> Bool {
    guard !end.isEmpty else { return true }
    let parts = end.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard end.first == UInt8(ascii: ":"), 1...2 ~= parts.count,
      parts.joined().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return false }
    return parts[0].count == 2 && parts[0].first.map { $0 < UInt8(ascii: "6") } == true
      && (parts.count == 1 || 1...3 ~= parts[1].count)
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

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
