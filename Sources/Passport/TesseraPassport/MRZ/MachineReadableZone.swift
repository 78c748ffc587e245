/// The machine readable zone of a travel document (Doc 9303 parts 3 to 7).
///
/// Fields have no trailing fillers. Dates are `YYMMDD` as printed; an unknown part of a birth date remains a filler, and so
/// does a date of expiry that the document does not have.
public struct MachineReadableZone: Sendable, Equatable {
  /// Size and layout.
  public enum Format: String, Sendable, CaseIterable {
    /// Card size, three lines of 30 (Doc 9303-5).
    case td1 = "TD1"
    /// Two lines of 36 (Doc 9303-6).
    case td2 = "TD2"
    /// Passport booklet, two lines of 44 (Doc 9303-4).
    case td3 = "TD3"
    /// Visa, two lines of 44 (Doc 9303-7).
    case mrvA = "MRV-A"
    /// Visa, two lines of 36 (Doc 9303-7).
    case mrvB = "MRV-B"

    public var lineCount: Int { self == .td1 ? 3 : 2 }

    public var lineLength: Int {
      switch self {
      case .td1: 30
      case .td2, .mrvB: 36
      case .td3, .mrvA: 44
      }
    }

    /// The format of a zone with these dimensions; visas begin with V.
    init?(lineCount: Int, lineLength: Int, isVisa: Bool) {
      let fits = Self.allCases.first {
        $0.lineCount == lineCount && $0.lineLength == lineLength && ($0 == .mrvA || $0 == .mrvB) == isVisa
      }
      guard let fits else { return nil }
      self = fits
    }
  }

  public let format: Format
  public let lines: [String]
  public let documentCode: String
  public let issuingState: String
  /// The complete number, also if it has more than nine characters and continues in the optional data.
  public let documentNumber: String
  public let nationality: String
  public let dateOfBirth: String
  /// `M`, `F`, or `<` if it is not specified.
  public let sex: String
  public let dateOfExpiry: String
  public let optionalData: String
  /// The second optional field of TD1.
  public let optionalData2: String
  /// As printed, with fillers.
  public let nameField: String
  /// All check digits of the zone, right or wrong.
  public let checkDigits: [CheckDigit]
  /// What is not as Doc 9303 has it: only in the zone of a chip, which is read all the same. nil for nothing.
  public let problem: MRZError?

  /// The lines as printed, separated by a line feed.
  public var text: String { lines.joined(separator: "\n") }

  /// The part of the name before `<<`, fillers as spaces.
  public var primaryIdentifier: String { names.primary }
  /// The part of the name after `<<`, fillers as spaces; empty for a single name.
  public var secondaryIdentifier: String { names.secondary }

  /// Whether the name fills its field completely, so that it may be truncated (Doc 9303-4, 4.2.3).
  public var isNamePossiblyTruncated: Bool { nameField.last != "<" }

  private var names: (primary: String, secondary: String) {
    let field = nameField.utf8
    guard let separator = field.firstRange(of: "<<".utf8) else { return (Self.words(field[...]), "") }
    return (Self.words(field[..<separator.lowerBound]), Self.words(field[separator.upperBound...]))
  }

  private static func words(_ field: Substring.UTF8View) -> String {
    field.split(separator: UInt8(ascii: "<")).map { Substring($0) }.joined(separator: " ")
  }

  /// The dates of expiry with which issuers say that there is none.
  package static let endless: Set<String> = ["999999", "991231", "990101"]

  package var statesNoEnd: Bool { Self.endless.contains(dateOfExpiry) }

  /// The first wrong check digit.
  public var firstWrongCheckDigit: CheckDigit? { checkDigits.first { !$0.isCorrect } }

  /// Parses typed or scanned text. Corrects lower case, spaces, missing line breaks and missing fillers at the end of
  /// the name line, but never a wrong check digit.
  ///
  /// - Throws: `MRZError` with the line and the field.
  public init(typed text: some StringProtocol) throws(MRZError) {
    self = try MachineReadableZone(printed: Self.lines(of: text))
    if let wrong = firstWrongCheckDigit { throw .wrongCheckDigit(wrong.field, line: wrong.line) }
  }

  /// Parses the lines of a zone, without verifying check digits.
  ///
  /// - Throws: `MRZError` if the structure is not that of a machine readable zone.
  public init(printed lines: [String]) throws(MRZError) {
    self = try MachineReadableZone(stored: lines)
    if let problem { throw problem }
  }

  /// Parses the lines of a zone as EF.DG1 has them: each field by its place, whatever characters it has. `problem` says
  /// what is unusual.
  ///
  /// - Throws: `MRZError.wrongLength` if no format has these lines.
  package init(stored lines: [String]) throws(MRZError) {
    let lengths = lines.map(\.utf8.count)
    guard let length = lengths.first, lengths.allSatisfy({ $0 == length }),
      let format = Format(
        lineCount: lines.count, lineLength: length, isVisa: lines.first?.hasPrefix("V") == true)
    else { throw .wrongLength(lines: lengths) }
    self.format = format
    self.lines = lines

    let zone = Zone(lines: lines)
    var problem = Self.problemOfCharacters(lines)
    func date(_ field: CheckDigit.Field, line: Int, at column: Int) -> String {
      if !zone.isDate(field, line: line, at: column) {
        problem = problem ?? .malformedField(field.rawValue, line: line)
      }
      return zone[line, column..<column + 6]
    }
    documentCode = zone[1, 0..<2].trimmed
    issuingState = zone[1, 2..<5].trimmed
    let number: NumberField
    switch format {
    case .td1:
      number = NumberField(zone, line: 1, at: 5, optional: 15..<30, mayContinue: true)
      dateOfBirth = date(.dateOfBirth, line: 2, at: 0)
      sex = String(zone[2, 7..<8])
      dateOfExpiry = date(.dateOfExpiry, line: 2, at: 8)
      nationality = zone[2, 15..<18].trimmed
      optionalData2 = zone[2, 18..<29].trimmed
      nameField = String(zone[3, 0..<30])
    case .td2, .td3, .mrvA, .mrvB:
      let optional: Range<Int> =
        switch format {
        case .td2: 28..<35
        case .td3: 28..<42
        default: 28..<length
        }
      number = NumberField(zone, line: 2, at: 0, optional: optional, mayContinue: format == .td2)
      dateOfBirth = date(.dateOfBirth, line: 2, at: 13)
      sex = String(zone[2, 20..<21])
      dateOfExpiry = date(.dateOfExpiry, line: 2, at: 21)
      nationality = zone[2, 10..<13].trimmed
      optionalData2 = ""
      nameField = String(zone[1, 5..<length])
    }
    documentNumber = number.number
    optionalData = number.optionalData
    let others = format.checkDigits.map { zone.digit($0) }
    checkDigits = [number.checkDigit(beside: others)] + others
    if number.isMalformed {
      problem = problem ?? .malformedField(CheckDigit.Field.documentNumber.rawValue, line: number.checkDigit.line)
    }
    if !["M", "F", "X", "<"].contains(sex) { problem = problem ?? .malformedField("sex", line: 2) }
    if documentCode.first?.isLetter != true { problem = problem ?? .malformedField("document code", line: 1) }
    self.problem = problem
  }

  private static func problemOfCharacters(_ lines: [String]) -> MRZError? {
    for (number, line) in lines.enumerated() {
      for (column, character) in line.utf8.enumerated() where !isAllowed(character) {
        return .invalidCharacter(line: number + 1, column: column + 1)
      }
    }
    return nil
  }

  private static func isAllowed(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "<"): true
    default: false
    }
  }
}

// MARK: - Typed text

extension MachineReadableZone {
  /// Upper case without spaces. Replaces the quotation marks that word processors substitute for fillers.
  static func normalized(_ text: some StringProtocol) -> [String] {
    if isOfZone(text) { return [String(text)] }
    return text.split(whereSeparator: \.isNewline)
      .map { line in
        seen(line).uppercased().filter { !$0.isWhitespace }.replacing("«", with: "<<").replacing("‹", with: "<")
      }
      .filter { !$0.isEmpty }
  }

  /// Whether a text has only characters of a zone, so that nothing is to be corrected.
  static func isOfZone(_ text: some StringProtocol) -> Bool { !text.isEmpty && String(text).utf8.allSatisfy(isAllowed) }

  /// The characters that a user sees: without the marks of direction and the invisible spaces of copied text, and without
  /// the control characters with which readers that act as a keyboard begin and end a zone. The wide letters of an East
  /// Asian keyboard (U+FF01 to U+FF5E) are those of a zone.
  static func seen(_ text: some StringProtocol) -> String {
    var seen = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format: continue
      default:
        let isWide = ("\u{FF01}"..."\u{FF5E}").contains(scalar)
        seen.append(isWide ? Unicode.Scalar(UInt8(scalar.value - 0xFEE0)) : scalar)
      }
    }
    return String(seen)
  }

  private static func lines(of text: some StringProtocol) throws(MRZError) -> [String] {
    var lines = normalized(text)
    let lengths = lines.map(\.count)
    // Fillers at the end of the name line have no content; the other lines have check digits and must be complete.
    if lines.count == 2, lengths[0] >= 5, lengths[0] < lengths[1], [36, 44].contains(lengths[1]) {
      lines[0] += String(repeating: "<", count: lengths[1] - lengths[0])
    } else if lines.count == 3, lengths[0] == 30, lengths[1] == 30, lengths[2] < 30 {
      lines[2] += String(repeating: "<", count: 30 - lengths[2])
    }
    let all = Array(lines.joined())
    let length: Int
    switch all.count {
    case 90: length = 30
    case 88: length = 44
    case 72: length = 36
    default: throw .wrongLength(lines: lengths.isEmpty ? [0] : Array(lengths.prefix(4)))
    }
    return stride(from: 0, to: all.count, by: length).map { String(all[$0..<$0 + length]) }
  }
}

extension MachineReadableZone {
  /// The check digits of a zone during typing, as far as the digits and the characters that they cover are present. A
  /// document number that continues in the optional data is checked when the zone is complete.
  ///
  /// - Parameter lines: the complete lines and the current one, in capital letters.
  package static func checkDigits(typed lines: [String]) -> [CheckDigit] {
    let zone = Zone(lines: lines)
    let first = lines.first ?? ""
    // The second lines of all other formats begin alike. The length of the first line tells them apart after the dates.
    let format: Format = mayBeginCard(first) ? .td1 : first.hasPrefix("V") || first.count <= 36 ? .mrvB : .td3
    let number: CheckDigit.Place =
      format == .td1 ? .init(.documentNumber, (1, 5..<14), at: 14) : .init(.documentNumber, (2, 0..<9), at: 9)
    return ([number] + format.checkDigits).filter(zone.contains).map(zone.digit).filter { digit in
      guard digit.field == .documentNumber else { return true }
      // In the first line, a letter may be part of a name in a longer line.
      return digit.printed != "<" && (digit.line == 2 || lines.count > 1 || digit.printed.isNumber)
    }
  }

  /// Whether this may be the first of three lines. The first line of a passport or visa is longer.
  package static func mayBeginCard(_ line: String) -> Bool {
    line.count == Format.td1.lineLength && !line.hasPrefix("P") && !line.hasPrefix("V")
  }
}

extension CheckDigit {
  /// The positions of a check digit and of the characters that it covers: lines from 1, columns from 0.
  fileprivate struct Place {
    let field: Field
    let covered: [(line: Int, columns: Range<Int>)]
    let printed: (line: Int, columns: Range<Int>)

    /// The digit is in the line of the last part that it covers.
    init(_ field: Field, _ covered: (line: Int, columns: Range<Int>)..., at column: Int) {
      self.field = field
      self.covered = covered
      printed = (covered.last?.line ?? 1, column..<column + 1)
    }
  }
}

extension MachineReadableZone.Format {
  /// All check digits except that of the document number. Visas have no composite check digit (Doc 9303-7, 4.2.2).
  fileprivate var checkDigits: [CheckDigit.Place] {
    let dates: [CheckDigit.Place] = [
      .init(.dateOfBirth, (2, 13..<19), at: 19), .init(.dateOfExpiry, (2, 21..<27), at: 27),
    ]
    switch self {
    case .td1:
      return [
        .init(.dateOfBirth, (2, 0..<6), at: 6), .init(.dateOfExpiry, (2, 8..<14), at: 14),
        .init(.composite, (1, 5..<30), (2, 0..<7), (2, 8..<15), (2, 18..<29), at: 29),
      ]
    case .td2: return dates + [.init(.composite, (2, 0..<10), (2, 13..<20), (2, 21..<35), at: 35)]
    case .td3:
      return dates + [
        .init(.optionalData, (2, 28..<42), at: 42), .init(.composite, (2, 0..<10), (2, 13..<20), (2, 21..<43), at: 43),
      ]
    case .mrvA, .mrvB: return dates
    }
  }
}

// MARK: - Fields

/// The lines, addressed by line number (from 1) and column (from 0).
private struct Zone {
  private let lines: [[UInt8]]

  init(lines: [String]) { self.lines = lines.map { Array($0.utf8) } }

  subscript(line: Int, columns: Range<Int>) -> String {
    let octets = lines[line - 1][columns]
    // One character for each octet, so that an odd one moves no field.
    guard octets.allSatisfy({ $0 < 0x80 }) else {
      return String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
    }
    return String(decoding: octets, as: UTF8.self)
  }

  /// Whether the digit and all characters that it covers are present.
  func contains(_ place: CheckDigit.Place) -> Bool {
    (place.covered + [place.printed]).allSatisfy { part in
      part.line <= lines.count && part.columns.upperBound <= lines[part.line - 1].count
    }
  }

  func digit(_ place: CheckDigit.Place) -> CheckDigit {
    CheckDigit(
      field: place.field, line: place.printed.line,
      data: place.covered.map { self[$0.line, $0.columns] }.joined(),
      printed: Character(Unicode.Scalar(lines[place.printed.line - 1][place.printed.columns.lowerBound])))
  }

  /// Six digits. Unknown parts of a birth date are fillers (Doc 9303-3, 4.8), and so is the whole date of expiry of a
  /// document without one.
  func isDate(_ field: CheckDigit.Field, line: Int, at column: Int) -> Bool {
    let octets = lines[line - 1][column..<column + 6]
    let filler = UInt8(ascii: "<")
    let mayBeUnknown = field == .dateOfBirth || octets.allSatisfy { $0 == filler }
    return octets.allSatisfy { 0x30...0x39 ~= $0 || mayBeUnknown && $0 == filler }
  }
}

/// A document number of nine characters, or a longer one that continues in the optional data: the check digit's
/// position then has a filler, and the digit follows the rest of the number (Doc 9303-5, 4.2.2 note j).
private struct NumberField {
  let number: String
  let checkDigit: CheckDigit
  /// The same of a long number, over the filler that stands in the place of the digit, too.
  private let checkDigitWithFiller: CheckDigit?
  let optionalData: String
  /// Whether it should continue in the optional data, and does not.
  let isMalformed: Bool

  init(_ zone: Zone, line: Int, at column: Int, optional: Range<Int>, mayContinue: Bool) {
    let principal = column..<column + 9
    let optionalField = zone[line, optional]
    let isContinued = mayContinue && zone[line, column + 9..<column + 10] == "<"
    let continuation = isContinued ? optionalField.prefix { $0 != "<" } : ""
    isMalformed = isContinued && continuation.count < 2
    if continuation.count >= 2, let printed = continuation.last {
      number = zone[line, principal] + continuation.dropLast()
      checkDigit = CheckDigit(field: .documentNumber, line: line, data: number, printed: printed)
      checkDigitWithFiller = CheckDigit(
        field: .documentNumber, line: line, data: zone[line, principal] + "<" + continuation.dropLast(),
        printed: printed)
      optionalData = String(optionalField.dropFirst(continuation.count).drop { $0 == "<" }).trimmed
    } else {
      number = zone[line, principal].trimmed
      checkDigit = zone.digit(.init(.documentNumber, (line, principal), at: column + 9))
      checkDigitWithFiller = nil
      optionalData = optionalField.trimmed
    }
  }

  /// Doc 9303-5, 4.2.4 leaves the filler out, but Belgium's cards before 2020 and Portugal's count it (PRADO BEL-BO-03003;
  /// cheminfo/mrz, check.test.ts). So that the two digits do not hide a wrong character, the second one counts only if
  /// all other digits are right, among them the composite one.
  func checkDigit(beside others: [CheckDigit]) -> CheckDigit {
    guard !checkDigit.isCorrect, let checkDigitWithFiller, checkDigitWithFiller.isCorrect,
      others.allSatisfy(\.isCorrect)
    else { return checkDigit }
    return checkDigitWithFiller
  }
}

extension String {
  /// Without trailing fillers.
  fileprivate var trimmed: String {
    String(self[..<(utf8.lastIndex { $0 != UInt8(ascii: "<") }.map(utf8.index(after:)) ?? startIndex)])
  }
}
