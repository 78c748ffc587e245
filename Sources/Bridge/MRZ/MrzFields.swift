/// The fields of a machine readable zone as the camera's answer names them (dossier, 5.4).
///
/// No check digit is looked at here: the page shows what was read, and the chip does not open to what was misread. The
/// reader of passports has a parser that checks (`Passport`).
public enum MrzFields {
  /// Two lines of which the first has 44 characters, or three of which the first has 30; the object has only `raw` for
  /// any others.
  public static func json(_ lines: [String]) -> JSONValue {
    var fields: [String: String] = [:]
    switch (lines.count, lines.first?.count) {
    case (2, 44): fields = passport(lines.map(Array.init))
    case (3, 30): fields = card(lines.map(Array.init))
    default: break
    }
    fields["raw"] = lines.joined(separator: "\n")
    return .object(JSONObject(fields.mapValues(JSONValue.string)))
  }

  /// Without fillers, wherever they stand.
  public static func withoutFillers(_ text: String) -> String { trimmed(text.filter { $0 != "<" }) }

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

  /// The first double filler parts them.
  private static func names(_ text: String) -> [String: String] {
    let end = text.firstRange(of: "<<")
    func readable(_ part: Substring) -> String { trimmed(part.map { $0 == "<" ? " " : String($0) }.joined()) }
    return [
      "surname": readable(text[..<(end?.lowerBound ?? text.endIndex)]),
      "givenNames": readable(text[(end?.upperBound ?? text.endIndex)...]),
    ]
  }

  /// As much of the range as the line has.
  private static func part(_ line: [Character], _ range: Range<Int>) -> String {
    String(line[range.clamped(to: 0..<line.count)])
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
