import TesseraCryptography

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
