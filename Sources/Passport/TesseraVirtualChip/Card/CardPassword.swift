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

/// The card's side of Basic Access Control (Doc 9303-11, 4.3.1).
struct CardBasicAccess {
  private let cipher: TripleDES
  private let authenticator: RetailMAC

  init(keySeed: SecretBytes) throws {
    cipher = try TripleDES(key: KeyDerivation.derive(keySeed, .encryption, for: .tripleDES))
    authenticator = try RetailMAC(key: KeyDerivation.derive(keySeed, .authentication, for: .tripleDES))
  }

  /// Answers EXTERNAL AUTHENTICATE.
  ///
  /// - Parameter keyingMaterial: `K.IC`, 16 bytes.
  /// - Returns: The 40 bytes of response and the session; nil if the terminal does not know the key.
  func authenticate(
    _ data: [UInt8], challenge: [UInt8], keyingMaterial: [UInt8]
  ) throws -> (response: [UInt8], session: CardSecureMessaging)? {
    guard data.count == 40, keyingMaterial.count == 16,
      try authenticator.verify(data[32...], over: data[..<32])
    else { return nil }
    let terminal = try cipher.decrypt(data[..<32])  // RND.IFD || RND.IC || K.IFD
    guard constantTimeEqual(terminal[8..<16], challenge) else { return nil }
    let terminalNonce = terminal[..<8]
    let seed = SecretBytes(zip(terminal[16...], keyingMaterial).map { $0 ^ $1 })
    let cryptogram = try cipher.encrypt(challenge + terminalNonce + keyingMaterial)
    let counter = (challenge.suffix(4) + terminalNonce.suffix(4)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (
      cryptogram + (try authenticator.mac(cryptogram)),
      try CardSecureMessaging(sessionSeed: seed, sendSequenceCounter: counter)
    )
  }
}
