public import TesseraPassport

/// A zone whose check digits are all right.
public struct RecognizedZone: Sendable, Equatable {
  /// As printed.
  public let lines: [String]
  /// The fields; nil for the French identity card of 1988 to 2021, whose format is not one of Doc 9303.
  public let zone: MachineReadableZone?

  /// `TD1`, `TD2`, `TD3`, `MRV-A`, `MRV-B`, or `FRENCH-ID`.
  public var format: String { zone?.format.rawValue ?? "FRENCH-ID" }
  /// The lines, separated by a line feed.
  public var text: String { lines.joined(separator: "\n") }

  init?(_ candidate: ZoneDecoder.Candidate) { self.init(candidate.lines, candidate.layout) }

  init?(_ lines: [String], _ layout: ZoneLayout) {
    self.lines = lines
    guard layout.format == .doc9303 else {
      zone = nil
      guard DatePrior.isPossible(text(of: .dateOfBirth).utf8.compactMap(ZoneCharacter.number)[...]) else { return nil }
      return
    }
    // The layout of Mexico's voter card alone permits another sex.
    guard let zone = try? MachineReadableZone(stored: lines), zone.firstWrongCheckDigit == nil,
      zone.problem == nil || zone.problem == .malformedField("sex", line: 2), (try? MRZInformation(zone)) != nil
    else { return nil }
    self.zone = zone
  }

  /// A field as printed, without trailing fillers; of optional data that stand in two places, both with a space between.
  func text(of field: MRZDoubt.Field) -> String {
    guard let zone else { return frenchText(of: field) }
    return switch field {
    case .documentCode: zone.documentCode
    case .issuingState: zone.issuingState
    case .documentNumber: zone.documentNumber
    case .dateOfBirth: zone.dateOfBirth
    case .sex: zone.sex
    case .dateOfExpiry: zone.dateOfExpiry
    case .nationality: zone.nationality
    case .optionalData: [zone.optionalData, zone.optionalData2].filter { !$0.isEmpty }.joined(separator: " ")
    case .names: Self.trimmed(zone.nameField)
    case .checkDigits: String(zone.checkDigits.map(\.printed))
    }
  }

  private func frenchText(of field: MRZDoubt.Field) -> String {
    let lines = lines.map { Array($0) }
    func part(_ line: Int, _ columns: Range<Int>) -> String {
      guard line < lines.count, columns.upperBound <= lines[line].count else { return "" }
      return Self.trimmed(String(lines[line][columns]))
    }
    return switch field {
    case .documentCode: part(0, 0..<2)
    case .issuingState: part(0, 2..<5)
    case .documentNumber: part(1, 0..<12)
    case .dateOfBirth: part(1, 27..<33)
    case .sex: part(1, 34..<35)
    case .dateOfExpiry, .nationality: ""
    case .optionalData: part(0, 30..<36)
    case .names: [part(0, 5..<30), part(1, 13..<27)].filter { !$0.isEmpty }.joined(separator: "<<")
    case .checkDigits: part(1, 12..<13) + part(1, 33..<34) + part(1, 35..<36)
    }
  }

  private static func trimmed(_ text: String) -> String {
    String(text.prefix(text.lastIndex { $0 != "<" }.map { text.distance(from: text.startIndex, to: $0) + 1 } ?? 0))
  }
}

/// A field whose characters the pictures leave open.
public struct MRZDoubt: Sendable, Equatable {
  /// The fields of a zone, with their English words.
  public enum Field: String, Sendable, CaseIterable {
    case documentCode = "document code"
    case issuingState = "issuing state"
    case documentNumber = "document number"
    case dateOfBirth = "date of birth"
    case sex = "sex"
    case dateOfExpiry = "date of expiry"
    case nationality = "nationality"
    case optionalData = "optional data"
    case names = "name"
    /// Check digits; a doubt of its own only where no other field differs.
    case checkDigits = "check digit"
  }

  public let field: Field
  /// What the field may be, two readings at least, the most probable one first: as printed, without trailing fillers.
  public let readings: [String]

  /// The fields in which candidates differ, in the order of `Field`.
  ///
  /// - Parameter candidates: the most probable one first, as `ZoneVote.candidates` gives them.
  public static func doubts(of candidates: [MRZCandidate]) -> [MRZDoubt] {
    let all = Field.allCases.map { field in
      var readings: [String] = []
      for candidate in candidates {
        let text = candidate.zone.text(of: field)
        if !readings.contains(text) { readings.append(text) }
      }
      return MRZDoubt(field: field, readings: readings)
    }
    let doubts = all.filter { $0.readings.count > 1 }
    // The check digits follow from the other fields.
    return doubts.count > 1 ? doubts.filter { $0.field != .checkDigits } : doubts
  }
}
