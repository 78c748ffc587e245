import SmartCard

/// A day of DG11, DG12 or DG16, `YYYYMMDD`, perhaps with a time of day, `hhmmss`, after it. LDS 1.7 packs two digits into
/// a byte, later versions and many issuers write characters (Doc 9303-10, 4.7.11); both are read and either is written.
/// What stands in the place of a date and is none is kept as it stands.
public struct FullDate: Sendable, Hashable {
  public enum Form: Sendable, Hashable {
    case packed
    case characters
  }

  /// Of a date, 8 or 14 characters: digits, or `<`, blanks and zeros where a part is unknown. Otherwise what is on the
  /// chip: characters where they can be printed, else hexadecimal digits.
  public let text: String
  public let form: Form

  /// nil where `text` is no date, or the form cannot carry it.
  public init?(_ text: String, form: Form = .packed) {
    self.init(unjudged: text, form)
    guard isDate, form == .characters || text.utf8.allSatisfy(Self.digits.contains) else { return nil }
  }

  private init(unjudged text: String, _ form: Form) {
    self.text = text
    self.form = form
  }

  /// What stands on the chip, a date or not; nil where nothing does.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty else { return nil }
    let packed = FullDate(unjudged: bytes.hexadecimal, .packed)
    // No text is a packed date by chance: its month would begin with the 3 of a digit's code, or with more.
    let isText = !packed.isDate && bytes.allSatisfy { (0x20...0x7E).contains($0) }
    self = isText ? FullDate(unjudged: String(decoding: bytes, as: UTF8.self), .characters) : packed
  }

  var encoded: [UInt8] {
    switch form {
    case .characters: Array(text.utf8)
    case .packed: [UInt8](hexadecimal: text) ?? []
    }
  }

  // MARK: - Judging

  private static let digits: ClosedRange<UInt8> = 0x30...0x39

  /// Whether there is such a day, and such a time of day, as far as the parts are known.
  public var isDate: Bool {
    let characters = Array(text.utf8)
    guard [8, 14].contains(characters.count),
      characters.allSatisfy({ Self.digits.contains($0) || $0 == 0x3C || $0 == 0x20 })
    else { return false }
    let (year, month, day) = (part(0, 4), part(4, 2), part(6, 2))
    return month ?? 0 <= 12 && day ?? 0 <= Self.days(month: month, year: year)
      && part(8, 2) ?? 0 <= 23 && part(10, 2) ?? 0 <= 59 && part(12, 2) ?? 0 <= 59
  }

  /// nil where it is unknown or not there.
  private func part(_ start: Int, _ count: Int) -> Int? { Int(text.dropFirst(start).prefix(count)) }

  /// How many days a month has at most, where that or the year is unknown.
  private static func days(month: Int?, year: Int?) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year.map { $0 % 4 == 0 && ($0 % 100 != 0 || $0 % 400 == 0) ? 29 : 28 } ?? 29
    default: 31
    }
  }
}

extension FullDate: CustomStringConvertible {
  /// `YYYY-MM-DD`, then `hh:mm:ss`; as it stands where a part is unknown, or where it is no date.
  public var description: String {
    guard isDate, text.utf8.allSatisfy(Self.digits.contains), part(4, 2) != 0, part(6, 2) != 0 else { return text }
    func digits(_ start: Int, _ count: Int) -> Substring { text.dropFirst(start).prefix(count) }
    let day = "\(digits(0, 4))-\(digits(4, 2))-\(digits(6, 2))"
    return text.utf8.count == 8 ? day : "\(day) \(digits(8, 2)):\(digits(10, 2)):\(digits(12, 2))"
  }
}

extension FileElement {
  /// nil where the element is empty. What is no date is told, and kept all the same.
  func date(_ findings: inout [FileFinding]) -> FullDate? {
    let date = FullDate(value)
    if date?.isDate != true { findings.append(finding(.malformed("is no date"))) }
    return date
  }
}
