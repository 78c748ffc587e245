import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The MRZ information of Doc 9303-11, 9.7.2 (and 4.3.2): document number, date of birth and date of expiry, each with
/// its check digit. The access keys are derived from it, so it is secret and never printed.
public struct MRZInformation: Sendable {
  package let text: String

  /// - Parameters:
  ///   - documentNumber: with or without fillers. Numbers may have more than nine characters.
  ///   - dateOfBirth: `YYMMDD`, `YYYY-MM-DD`, or with the day first `DD.MM.YYYY`, `DD/MM/YYYY`.
  ///   - dateOfExpiry: the same.
  /// - Throws: `MRZError.malformedField` naming the field.
  public init(
    documentNumber: some StringProtocol, dateOfBirth: some StringProtocol, dateOfExpiry: some StringProtocol
  ) throws(MRZError) {
    // No document number is longer, and long sequences of combining characters are slow to compare.
    guard documentNumber.utf8.count <= 64 else { throw .malformedField("document number", line: nil) }
    // Doc 9303-3, 4.6: other characters than letters and digits are printed as fillers.
    var number =
      MachineReadableZone.isOfZone(documentNumber)
      ? String(documentNumber)
      : MachineReadableZone.seen(documentNumber).uppercased().filter { !$0.isWhitespace }.replacing("-", with: "<")
    while number.hasSuffix("<") { number.removeLast() }
    number += String(repeating: "<", count: max(0, 9 - number.count))
    guard number.first != "<", number.count <= 22, let digit = CheckDigit.value(of: number) else {
      throw .malformedField("document number", line: nil)
    }
    text =
      "\(number)\(digit)" + (try Self.field(dateOfBirth, "date of birth"))
      + (try Self.field(dateOfExpiry, "date of expiry"))
  }

  /// The information of a machine readable zone.
  public init(_ zone: MachineReadableZone) throws(MRZError) {
    try self.init(
      documentNumber: zone.documentNumber, dateOfBirth: zone.dateOfBirth, dateOfExpiry: zone.dateOfExpiry)
  }

  /// Parses user input: the complete zone, or only the MRZ information in one line.
  ///
  /// - Throws: `MRZError`, also for a wrong check digit.
  public init(typed text: some StringProtocol) throws(MRZError) {
    let lines = MachineReadableZone.normalized(text)
    guard lines.count == 1, let line = lines.first, (24...37).contains(line.count) else {
      self = try MRZInformation(MachineReadableZone(typed: text))
      return
    }
    let characters = Array(line)
    let end = characters.count
    let number = String(characters[..<(end - 15)])
    let birth = String(characters[(end - 14)..<(end - 8)])
    let expiry = String(characters[(end - 7)..<(end - 1)])
    self = try MRZInformation(documentNumber: number, dateOfBirth: birth, dateOfExpiry: expiry)
    let digits: [(CheckDigit.Field, String, Character)] = [
      (.documentNumber, number, characters[end - 15]),
      (.dateOfBirth, birth, characters[end - 8]),
      (.dateOfExpiry, expiry, characters[end - 1]),
    ]
    for (field, data, printed) in digits {
      let digit = CheckDigit(field: field, line: 1, data: data, printed: printed)
      guard digit.isCorrect else { throw .wrongCheckDigit(field, line: 1) }
    }
  }

  /// `K_seed`, the first 16 bytes of the SHA-1 of the information (Doc 9303-11, 4.3.2).
  package func keySeed() throws -> SecretBytes {
    let digest = try HashAlgorithm.sha1.secretDigest(of: SecretBytes(text.utf8))
    return digest.withUnsafeBytes { SecretBytes($0.prefix(16)) }
  }

  /// The secret from which PACE derives its key: the complete SHA-1 of the information (Doc 9303-11, 9.7.3).
  func passwordSeed() throws -> SecretBytes { try HashAlgorithm.sha1.secretDigest(of: SecretBytes(text.utf8)) }

  /// The document number with its check digit, which identifies the chip in Terminal Authentication after BAC (BSI
  /// TR-03110-1, 3.4).
  var documentNumberWithCheckDigit: [UInt8] { Array(text.utf8.dropLast(14)) }

  /// Whether the calendar has a date that is written in one of the forms of the initializer. A date of which a part is
  /// unknown, and the nines of documents that do not expire, count as dates.
  ///
  /// The initializer accepts more: a document may be misprinted, and its chip has the key that is printed.
  package static func isInCalendar(_ date: some StringProtocol) -> Bool {
    guard let digits = try? String(field(date, "date").dropLast()) else { return false }
    let parts = stride(from: 2, to: 6, by: 2).map { digits.dropFirst($0).prefix(2) }
    let isUnknown = digits.contains("<") || digits == "999999" || parts.contains("00")
    // Of the centuries that the year may mean, 1900 was no leap year, but 2000 was.
    return isUnknown || MRZDate(digits, .birth, today: Date()) != nil
  }

  private static func field(_ date: some StringProtocol, _ name: String) throws(MRZError) -> String {
    guard date.utf8.count <= 64 else { throw .malformedField(name, line: nil) }
    let isPlain = MachineReadableZone.isOfZone(date)
    let digits = isPlain ? String(date) : sixDigits(String(date).filter { !$0.isWhitespace })
    guard digits.utf8.count == 6, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == "<") }),
      // Some documents that do not expire have nines.
      digits == "999999"
        || isPlausible(digits.dropFirst(2).prefix(2), 1...12) && isPlausible(digits.suffix(2), 1...31),
      let digit = CheckDigit.value(of: digits)
    else { throw .malformedField(name, line: nil) }
    return "\(digits)\(digit)"
  }

  /// A date that a user wrote with separators, as six digits; any other text as it is.
  private static func sixDigits(_ text: String) -> String {
    let orders: [(Character, [Int])] = [("-", [0, 1, 2]), (".", [2, 1, 0]), ("/", [2, 1, 0])]
    for (separator, order) in orders {
      let parts = text.split(separator: separator, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let (year, month, day) = (parts[order[0]], parts[order[1]], parts[order[2]])
      // "74-08-12" could begin with the day.
      guard year.count == 4 || year.count == 2 && separator != "-", [1, 2].contains(month.count),
        [1, 2].contains(day.count)
      else { return text }
      return year.suffix(2) + [month, day].map { $0.count == 1 ? "0\($0)" : String($0) }.joined()
    }
    return text
  }

  /// Unknown parts of a birth date are fillers; some issuers print zeros.
  private static func isPlausible(_ part: Substring, _ range: ClosedRange<Int>) -> Bool {
    guard let value = Int(part) else { return part.contains("<") }
    return value == 0 || range.contains(value)
  }
}

extension MRZInformation: Equatable {
  public static func == (left: MRZInformation, right: MRZInformation) -> Bool {
    constantTimeEqual(left.text.utf8, right.text.utf8)
  }
}

extension MRZInformation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
