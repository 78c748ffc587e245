import TesseraCryptography
import TesseraPassport

/// A password of PACE (Doc 9303-11, 4.4.4.1 and 9.7.3).
package enum CardPassword: UInt8, Sendable, CaseIterable {
  /// The MRZ information of the data page.
  case mrz = 1
  /// The card access number.
  case can = 2

  /// The retry counter of a password. Travel documents have none and delay their responses; some cards have one.
  package struct RetryCounter: Sendable, Equatable {
    /// The number of wrong attempts that blocks the password permanently.
    package let limit: Int
    /// Whether the last attempt requires the other password first, as with a PIN (BSI TR-03110-2, 3.3.1.2).
    package let suspends: Bool

    package init(limit: Int, suspends: Bool) {
      self.limit = limit
      self.suspends = suspends
    }
  }
}

/// The passwords of a document.
struct CardPasswords {
  private var secrets: [CardPassword: SecretBytes] = [:]

  /// - Parameter cardAccessNumber: decimal digits.
  init(mrz zone: MachineReadableZone?, cardAccessNumber: String?) throws {
    if let information = zone.flatMap(Self.information) {
      secrets[.mrz] = try HashAlgorithm.sha1.secretDigest(of: SecretBytes(information.utf8))
    }
    if let cardAccessNumber { secrets[.can] = SecretBytes(cardAccessNumber.utf8) }
  }

  /// `K_pi`, which encrypts the nonce; nil if the document has no such password.
  func key(_ password: CardPassword, for cipher: KeyDerivation.Cipher) throws -> SecretBytes? {
    try secrets[password].map { try KeyDerivation.derive($0, .password, for: cipher) }
  }

  /// The MRZ information: document number, date of birth and date of expiry, each with its check digit.
  static func information(_ zone: MachineReadableZone) -> String? {
    let lines: [[Character]] = zone.lines.map { Array($0) }
    switch (lines.count, lines.first?.count) {
    case (3, 30):
      var number = lines[0][5..<15]
      // A longer number continues in the optional data; its check digit is the last character before the filler.
      if number.last == "<" { number = number.dropLast() + lines[0][15..<30].prefix { $0 != "<" } }
      return String(number + lines[1][0..<7] + lines[1][8..<15])
    case (2, 36), (2, 44):
      var number = lines[1][0..<10]
      if lines[1].count == 36, number.last == "<" {
        number = number.dropLast() + lines[1][28..<35].prefix { $0 != "<" }
      }
      return String(number + lines[1][13..<20] + lines[1][21..<28])
    default: return nil
    }
  }
}
