import TesseraCore

/// The fields of a machine readable zone by the names of the protocol (the bridge protocol, section camera).
///
/// Check digits are not verified: the page shows the recognised text, and a misread zone does not open the chip.
/// `MachineReadableZone` of TesseraPassport verifies them.
public enum MrzFields {
  /// Returns the fields of two lines of 44 characters (TD3) or three of 30 (TD1). For any other lines the object has
  /// only `raw`.
  public static func json(_ lines: [String]) -> JSONObject {
    var fields: [String: String] = [:]
    switch (lines.count, lines.first?.count) {
    case (2, 44): fields = passport(lines.map(Array.init))
    case (3, 30): fields = card(lines.map(Array.init))
    default: break
    }
    fields["raw"] = lines.joined(separator: "\n")
    return JSONObject(fields.mapValues(JSONValue.string))
  }

  /// Removes all fillers.
  package static func withoutFillers(_ text: String) -> String { trimmed(text.filter { $0 != "<" }) }

  /// TD3.
  private static func passport(_ lines: [[Character]]) -> [String: String] {
    var fields = names(part(lines[0], 5..<44))
    fields["documentType"] = withoutFillers(part(lines[0], 0..<2))
    fields["issuingState"] = part(lines[0], 2..<5)
    fields["documentNumber"] = withoutFillers(part(lines[1], 0..<9))
    fields["nationality"] = part(lines[1], 10..<13)
    fields["dateOfBirth"] = part(lines[1], 13..<19)
    fields["gender"] = withoutFillers(part(lines[1], 20..<21))
    fields["dateOfExpiry"] = part(lines[1], 21..<27)
    fields["personalNumber"] = withoutFillers(part(lines[1], 28..<42))
    return fields
  }

  /// TD1.
  private static func card(_ lines: [[Character]]) -> [String: String] {
    var fields = names(part(lines[2], 0..<30))
    fields["documentType"] = withoutFillers(part(lines[0], 0..<2))
    fields["issuingState"] = part(lines[0], 2..<5)
    fields["documentNumber"] = withoutFillers(part(lines[0], 5..<14))
    fields["dateOfBirth"] = part(lines[1], 0..<6)
    fields["gender"] = withoutFillers(part(lines[1], 7..<8))
    fields["dateOfExpiry"] = part(lines[1], 8..<14)
    fields["nationality"] = part(lines[1], 15..<18)
    return fields
  }

  /// The names, which the first double filler separates.
  private static func names(_ text: String) -> [String: String] {
    let end = text.firstRange(of: "<<")
    func readable(_ part: Substring) -> String { trimmed(part.map { $0 == "<" ? " " : String($0) }.joined()) }
    return [
      "surname": readable(text[..<(end?.lowerBound ?? text.endIndex)]),
      "givenNames": readable(text[(end?.upperBound ?? text.endIndex)...]),
    ]
  }

  /// The part of the line in the range; shorter if the line ends earlier.
  private static func part(_ line: [Character], _ range: Range<Int>) -> String {
    String(line[range.clamped(to: 0..<line.count)])
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}

/// The check digit of a machine readable zone as the bridge's clients compute it: letters in any case; a space counts
/// as a filler.
package enum MrzCheckDigit {
  /// 0 to 9; 0 for an empty text.
  ///
  /// - Throws: `Failure` for a character that is not allowed in a machine readable zone.
  package static func of(_ text: String) throws(Failure) -> Int {
    let characters = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + UInt8(ascii: "A")
      case UInt8(ascii: " "): UInt8(ascii: "<")
      default: byte
      }
    }
    guard let digit = CheckDigitAlgorithm.value(of: characters) else {
      throw Failure(
        .malformedMRZ, "The text contains a character that a machine readable zone cannot have.",
        remedy: "Use A to Z, 0 to 9 and < only.")
    }
    return digit
  }
}

/// The text from which the access key of a chip is derived (ICAO 9303-11, 9.7.2): document number, date of birth and
/// date of expiry, each with its check digit.
package enum MrzKey {
  /// Returns 24 characters. Longer parts are truncated, shorter ones padded. `MRZInformation` of TesseraPassport
  /// supports document numbers of more than nine characters.
  ///
  /// - Throws: `Failure` for a character that is not allowed in a machine readable zone.
  package static func text(
    documentNumber: String, dateOfBirth: String, dateOfExpiry: String
  ) throws(Failure) -> String {
    try part(documentNumber, 9) + part(dateOfBirth, 6) + part(dateOfExpiry, 6)
  }

  private static func part(_ text: String, _ length: Int) throws(Failure) -> String {
    let field = text.prefix(length) + String(repeating: "<", count: max(0, length - text.count))
    return "\(field)\(try MrzCheckDigit.of(String(field)))"
  }
}
