/// The check digit of Doc 9303-3, 4.9.
public struct CheckDigit: Sendable, Equatable {
  /// What a check digit of the machine readable zone covers.
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

  /// The digit that the rule gives.
  public var computed: Character? {
    Self.value(of: data).map { Character(String($0)) }
  }

  /// Whether printed and computed digit agree. Empty optional data may have a filler instead of zero (Doc 9303-4,
  /// 4.2.2).
  public var isCorrect: Bool {
    if field == .optionalData, printed == "<", data.allSatisfy({ $0 == "<" }) { return true }
    return printed == computed
  }

  /// The weighted sum modulo 10; nil for characters outside the zone's alphabet.
  public static func value(of data: some StringProtocol) -> Int? {
    var sum = 0
    for (index, character) in data.utf8.enumerated() {
      let value: Int
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = Int(character - UInt8(ascii: "0"))
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = Int(character - UInt8(ascii: "A")) + 10
      case UInt8(ascii: "<"): value = 0
      default: return nil
      }
      sum += value * [7, 3, 1][index % 3]
    }
    return sum % 10
  }
}
