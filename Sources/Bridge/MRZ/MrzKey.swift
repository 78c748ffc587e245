import Failures

/// The text from which the key of a chip is derived: document number, date of birth and date of expiry, each with its
/// check digit.
public enum MrzKey {
  /// 24 characters. Longer parts are cut, shorter ones filled up; document numbers of more than nine characters are the
  /// passport reader's business (`Passport`), which knows where the rest of them stands.
  ///
  /// - Throws: `Failure` for a character that the zone does not have.
  public static func text(
    documentNumber: String, dateOfBirth: String, dateOfExpiry: String
  ) throws(Failure) -> String {
    try part(documentNumber, 9) + part(dateOfBirth, 6) + part(dateOfExpiry, 6)
  }

  private static func part(_ text: String, _ length: Int) throws(Failure) -> String {
    let field = text.prefix(length) + String(repeating: "<", count: max(0, length - text.count))
    return "\(field)\(try MrzCheckDigit.of(String(field)))"
  }
}
