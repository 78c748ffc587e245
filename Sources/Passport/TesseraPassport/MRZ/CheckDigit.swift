import TesseraCore

/// A check digit of a machine readable zone, with the characters that it covers (Doc 9303-3, 4.9).
public struct CheckDigit: Sendable, Equatable {
  /// The part of the machine readable zone that a check digit covers.
  public enum Field: String, Sendable, Equatable {
    case documentNumber = "document number"
    case dateOfBirth = "date of birth"
    case dateOfExpiry = "date of expiry"
    case optionalData = "optional data"
    case composite = "composite"
  }

  public let field: Field
  /// The line (from 1) in which the digit is printed.
  public let line: Int
  /// The characters that it covers.
  public let data: String
  /// The character as printed.
  public let printed: Character

  /// The digit that `data` requires.
  public var computed: Character? {
    Self.value(of: data).map { Character(String($0)) }
  }

  /// Whether the printed and the computed digit agree. Empty optional data may have a filler instead of zero (Doc
  /// 9303-4, 4.2.2), and some issuers write one behind the fillers of a document that does not expire.
  public var isCorrect: Bool {
    let mayBeFiller = field == .optionalData || field == .dateOfExpiry
    if mayBeFiller, printed == "<", data.utf8.allSatisfy({ $0 == UInt8(ascii: "<") }) { return true }
    return printed == computed
  }

  /// The check digit of `data`; nil for characters outside the zone's alphabet.
  package static func value(of data: some StringProtocol) -> Int? {
    // Of a text of an unknown type, every element would be a call.
    CheckDigitAlgorithm.value(of: Array(String(data).utf8))
  }
}
