import TesseraSmartCard

/// A date of DG11, DG12 or DG16: `YYYYMMDD`, optionally followed by a time of day, `hhmmss`. LDS 1.7 packs two digits
/// into a byte; later versions and many issuers write characters (Doc 9303-10, 4.7.11). Both forms are read and
/// written. A value that is not a date remains unchanged.
public struct FullDate: Sendable, Hashable {
  public enum Form: Sendable, Hashable {
    case packed
    case characters
  }

  /// For a date, 8 or 14 characters: digits, or `<`, spaces and zeros for unknown parts. Otherwise the stored value as
  /// characters if they are printable, or as hexadecimal digits.
  public let text: String
  public let form: Form

  /// nil if `text` is not a date, or if the form cannot encode it.
  package init?(_ text: String, form: Form = .packed) {
    self.init(unvalidated: text, form)
    guard isDate, form == .characters || text.utf8.allSatisfy(Self.digits.contains) else { return nil }
  }

  private init(unvalidated text: String, _ form: Form) {
    self.text = text
    self.form = form
  }

  /// The stored value, whether it is a date or not; nil if it is empty.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty else { return nil }
    let packed = FullDate(unvalidated: bytes.hexadecimal, .packed)
    // A date in characters is not a packed date as well: the codes of digits begin with 3, so its month would be above
    // 12.
    let isText = !packed.isDate && bytes.allSatisfy { (0x20...0x7E).contains($0) }
    self = isText ? FullDate(unvalidated: String(decoding: bytes, as: UTF8.self), .characters) : packed
  }

  var encoded: [UInt8] {
    switch form {
    case .characters: Array(text.utf8)
    case .packed: [UInt8](hexadecimal: text) ?? []
    }
  }

  // MARK: - Validation

  private static let digits: ClosedRange<UInt8> = 0x30...0x39

  /// Whether the day and the time of day exist, as far as their parts are known.
  public var isDate: Bool {
    let characters = Array(text.utf8)
    guard [8, 14].contains(characters.count),
      characters.allSatisfy({ Self.digits.contains($0) || $0 == 0x3C || $0 == 0x20 })
    else { return false }
    let (year, month, day) = (part(0, 4), part(4, 2), part(6, 2))
    return month ?? 0 <= 12 && day ?? 0 <= Self.days(month: month, year: year)
      && part(8, 2) ?? 0 <= 23 && part(10, 2) ?? 0 <= 59 && part(12, 2) ?? 0 <= 59
  }

  /// nil if the part is unknown or absent.
  private func part(_ start: Int, _ count: Int) -> Int? { Int(text.dropFirst(start).prefix(count)) }

  /// The number of days of a month; the maximum if the month or the year is unknown.
  private static func days(month: Int?, year: Int?) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year.map { $0 % 4 == 0 && ($0 % 100 != 0 || $0 % 400 == 0) ? 29 : 28 } ?? 29
    default: 31
    }
  }
}

extension FullDate: CustomStringConvertible {
  /// `YYYY-MM-DD`, then `hh:mm:ss`; `text` if a part is unknown or if it is not a date.
  public var description: String {
    guard isDate, text.utf8.allSatisfy(Self.digits.contains), part(4, 2) != 0, part(6, 2) != 0 else { return text }
    func digits(_ start: Int, _ count: Int) -> Substring { text.dropFirst(start).prefix(count) }
    let day = "\(digits(0, 4))-\(digits(4, 2))-\(digits(6, 2))"
    return text.utf8.count == 8 ? day : "\(day) \(digits(8, 2)):\(digits(10, 2)):\(digits(12, 2))"
  }
}

extension FileElement {
  /// nil if the element is empty. A value that is not a date is returned with a finding.
  func date(_ findings: inout [FileFinding]) -> FullDate? {
    let date = FullDate(value)
    if date?.isDate != true { findings.append(finding(.malformed("is not a date"))) }
    return date
  }
}
