extension MachineReadableZone {
  /// The content of a zone, in the issuer's spelling.
  public struct Content: Sendable {
    public var documentCode: String
    public var issuingState: String
    public var documentNumber: String
    public var nationality: String
    /// `YYMMDD`.
    public var dateOfBirth: String
    /// `M`, `F`, or anything else for unspecified.
    public var sex: String
    /// `YYMMDD`.
    public var dateOfExpiry: String
    public var primaryIdentifier: String
    public var secondaryIdentifier: String
    public var optionalData: String

    public init(
      documentCode: String, issuingState: String, documentNumber: String, nationality: String, dateOfBirth: String,
      sex: String, dateOfExpiry: String, primaryIdentifier: String, secondaryIdentifier: String,
      optionalData: String = ""
    ) {
      self.documentCode = documentCode
      self.issuingState = issuingState
      self.documentNumber = documentNumber
      self.nationality = nationality
      self.dateOfBirth = dateOfBirth
      self.sex = sex
      self.dateOfExpiry = dateOfExpiry
      self.primaryIdentifier = primaryIdentifier
      self.secondaryIdentifier = secondaryIdentifier
      self.optionalData = optionalData
    }
  }

  /// Builds a zone: transliterates names, truncates long ones, and adds check digits.
  ///
  /// - Throws: `MRZError.malformedField` if a field is too long or invalid.
  public init(_ content: Content, format: Format) throws(MRZError) {
    func pad(_ text: String, _ length: Int, _ name: String) throws(MRZError) -> String {
      let field = Transliteration.mrzCharacters(for: text)
      guard field.count <= length else { throw .malformedField(name, line: nil) }
      return field + String(repeating: "<", count: length - field.count)
    }
    func date(_ text: String, _ field: CheckDigit.Field) throws(MRZError) -> String {
      guard text.utf8.count == 6, let digit = CheckDigit.value(of: text) else {
        throw .malformedField(field.rawValue, line: nil)
      }
      return "\(text)\(digit)"
    }
    func checked(_ text: String) -> String { text + digitText(text) }

    let code = try pad(content.documentCode, 2, "document code")
    let state = try pad(content.issuingState, 3, "issuing state")
    let nationality = try pad(content.nationality, 3, "nationality")
    let sex = ["M", "F"].contains(content.sex) ? content.sex : "<"
    let birth = try date(content.dateOfBirth, .dateOfBirth)
    let expiry = try date(content.dateOfExpiry, .dateOfExpiry)
    let fullNumber = Transliteration.mrzCharacters(for: content.documentNumber)
    var number = checked(try pad(String(fullNumber.prefix(9)), 9, "document number"))
    var optional = Transliteration.mrzCharacters(for: content.optionalData)
    if fullNumber.count > 9 {
      let rest = fullNumber.dropFirst(9)
      // The number continues up to the first filler, so this part must not contain one.
      guard format == .td1 || format == .td2, !rest.contains("<") else {
        throw .malformedField("document number", line: nil)
      }
      // A filler instead of the check digit means that the number continues in the optional data.
      number = fullNumber.prefix(9) + "<"
      let digit = CheckDigit.value(of: fullNumber).map(String.init) ?? ""
      optional = rest + digit + (optional.isEmpty ? "" : "<" + optional)
    }

    let lines: [String]
    switch format {
    case .td1:
      let first = code + state + number + (try pad(optional, 15, "optional data"))
      let second = birth + sex + expiry + nationality + String(repeating: "<", count: 11)
      let covered = first.dropFirst(5) + birth + expiry + second.suffix(11)
      lines = [first, second + digitText(String(covered)), Self.nameField(content, length: 30)]
    case .td2, .td3, .mrvA, .mrvB:
      let length = format.lineLength
      let first = code + state + Self.nameField(content, length: length - 5)
      let start = number + nationality + birth + sex + expiry
      switch format {
      case .td2:
        let rest = try pad(optional, 7, "optional data")
        lines = [first, start + rest + digitText(number + birth + expiry + rest)]
      case .td3:
        // The check digit of empty optional data is a filler or a zero; most issuers print the filler.
        let field = try pad(optional, 14, "optional data")
        let rest = optional.isEmpty ? field + "<" : checked(field)
        lines = [first, start + rest + digitText(number + birth + expiry + rest)]
      default:
        lines = [first, start + (try pad(optional, length - 28, "optional data"))]
      }
    }
    let zone = try MachineReadableZone(printed: lines)
    // Visas have the sizes of other documents and differ only in the letter V (Doc 9303-7, 4.2.2).
    guard zone.format == format else { throw .malformedField("document code", line: 1) }
    self = zone
  }

  /// Both identifiers in `length` characters, truncated by the rules of Doc 9303-4, 4.2.3: the secondary identifier
  /// first, of which at least one character remains.
  private static func nameField(_ content: Content, length: Int) -> String {
    let primary = Transliteration.mrzCharacters(for: content.primaryIdentifier)
    let secondary = Transliteration.mrzCharacters(for: content.secondaryIdentifier)
    let field = secondary.isEmpty ? primary : primary.prefix(max(1, length - 3)) + "<<" + secondary
    return field.prefix(length) + String(repeating: "<", count: max(0, length - field.count))
  }
}

private func digitText(_ data: String) -> String { CheckDigit.value(of: data).map(String.init) ?? "<" }
