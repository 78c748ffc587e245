import TesseraCore

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
