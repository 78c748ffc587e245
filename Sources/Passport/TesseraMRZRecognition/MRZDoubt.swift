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
