/// A part of a zone whose characters check digits cover.
struct ZoneField: Sendable {
  enum Content: Sendable {
    case documentNumber, optionalData
    /// `YYMMDD`.
    case date
    case other
  }

  /// One character.
  struct Place: Sendable {
    /// The number of the character in the zone, from 0, line by line.
    var cell: Int
    /// 7, 3 or 1; 0 if the composite check digit does not cover the place.
    var compositeWeight: Int
  }

  var content = Content.other
  var places: [Place]
  /// The check digit of the field; nil if only the composite one covers it.
  var digit: Place?
  /// Whether the digit may be a filler if all characters of the field are.
  var digitMayBeFiller = false

  /// The places with the digit, in the order in which a reading has its characters.
  var all: [Place] { digit.map { places + [$0] } ?? places }

  /// The weight of a place in the field's own check digit.
  static func weight(_ index: Int) -> Int { index % 3 == 0 ? 7 : index % 3 == 1 ? 3 : 1 }

  /// Whether these characters, one for each of `all`, have the right check digit.
  func hasRightDigit(_ characters: [Int]) -> Bool {
    guard digit != nil, let printed = characters.last, characters.count == places.count + 1 else { return true }
    var sum = 0
    for (index, character) in characters.dropLast().enumerated() {
      sum += ZoneCharacter.checkValue(character) * Self.weight(index)
    }
    if printed == ZoneCharacter.filler {
      return digitMayBeFiller && characters.allSatisfy { $0 == ZoneCharacter.filler }
    }
    return printed == sum % 10
  }

  /// What the characters add to the composite check digit, modulo 10.
  func residue(_ characters: [Int]) -> Int {
    zip(all, characters).reduce(0) { $0 + $1.0.compositeWeight * ZoneCharacter.checkValue($1.1) } % 10
  }
}

/// A part of a zone that no check digit covers.
struct UncheckedField: Sendable {
  enum Content: Sendable { case documentCode, issuingState, nationality, names, sex, optionalData }

  var content: Content
  var cells: [Int]
}
