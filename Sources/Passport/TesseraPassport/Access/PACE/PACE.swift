import TesseraCryptography
import TesseraSmartCard

/// PACE on the reader's side (Doc 9303-11, 4.4), as pure functions over the exchanged bytes.
struct PACE {
  let pace: PACEProtocol
  let group: any KeyAgreementGroup

  // MARK: - Step 1: the nonce

  /// `K_pi` (Doc 9303-11, 9.7.3).
  static func passwordKey(_ key: AccessKey, for cipher: KeyDerivation.Cipher) throws -> SecretBytes {
    switch key {
    case .mrz(let information): try KeyDerivation.derive(information.passwordSeed(), .password, for: cipher)
    case .can(let digits): try KeyDerivation.derive(digits, .password, for: cipher)
    }
  }

  /// Decrypts the nonce `s` from `z`: whole blocks, any number of them (Doc 9303-11, 4.4.3.3). The integrated mapping
  /// uses `s` as a key and checks its length itself.
  ///
  /// - Throws: `PACEError.malformedResponse` for an invalid length.
  func nonce(encrypted: [UInt8], passwordKey: SecretBytes) throws -> SecretBytes {
    guard encrypted.count.isMultiple(of: pace.cipher.blockSize), (1...Self.longestNonce).contains(encrypted.count)
    else { throw PACEError.malformedResponse(.nonce) }
    return switch pace.cipher {
    case .tripleDES: try TripleDES(key: passwordKey).decryptSecret(encrypted)
    case .aes128, .aes192, .aes256:
      try AES(key: passwordKey).decryptSecret(encrypted, initialisationVector: AES.zeroVector)
    }
  }

  /// A limit above the nonce of every chip, in bytes, so that the multiplication stays fast.
  private static let longestNonce = 128

  // MARK: - Step 2: the mapping

  /// The generic mapping: `G' = s G + H`, where `H` is the shared point of the mapping keys (Doc 9303-11, 4.4.3.3.1).
  ///
  /// - Throws: `PACEError` if the chip's key is invalid.
  func genericGenerator(nonce: SecretBytes, privateKey: SecretBytes, publicKey: [UInt8], chipKey: [UInt8]) throws
    -> [UInt8]
  {
    try check(chipKey, ownKey: publicKey, .mapping)
    return try inStep(.mapping) {
      let shared = try group.multiply(chipKey, by: privateKey)
      return try group.combine(group.multiply(group.generator, by: nonce), shared)
    }
  }

  /// The integrated mapping: maps a pseudo-random number of both nonces to the generator (4.4.3.3.2).
  func integratedGenerator(nonce: SecretBytes, readerNonce: SecretBytes) throws -> [UInt8] {
    let number = try PACERandomFunction(cipher: pace.cipher).value(
      nonce: nonce, readerNonce: readerNonce, primeBits: group.primeBits)
    return try inStep(.mapping) { try group.element(ofFieldValue: number) }
  }

  // MARK: - Step 3 and 4: key agreement and tokens

  /// The result of the key agreement.
  struct Agreement {
    let keys: SessionKeys
    /// `T_IFD`, the token that this reader sends.
    let readerToken: [UInt8]
    /// `T_IC`, the token that the chip must send.
    let chipToken: [UInt8]
  }

  /// - Parameter sentKey: the chip's key as received. The token covers these bytes: a chip that sends leading zeros
  ///   also includes them when it verifies the token.
  /// - Throws: `PACEError` if the chip's key is invalid, or is this reader's own.
  func agreement(
    privateKey: SecretBytes, publicKey: [UInt8], chipKey: [UInt8], sentKey: [UInt8]? = nil
  ) throws -> Agreement {
    try check(chipKey, ownKey: publicKey, .agreement)
    let secret = try inStep(.agreement) { try group.sharedSecret(privateKey: privateKey, with: chipKey) }
    let keys = try SessionKeys(cipher: pace.cipher, sharedSecret: secret)
    return Agreement(
      keys: keys, readerToken: try keys.token(over: tokenInput(sentKey ?? group.unsigned(chipKey))),
      chipToken: try keys.token(over: tokenInput(group.unsigned(publicKey))))
  }

  /// The public key data object that a token covers (Doc 9303-11, 4.4.3.4 and 9.4): object identifier and key.
  ///
  /// - Parameter key: as sent.
  func tokenInput(_ key: [UInt8]) -> [UInt8] {
    BERTLV.encode(
      0x7F49,
      BERTLV.encode(0x06, pace.identifierBytes) + BERTLV.encode(pace.agreement == .dh ? 0x84 : 0x86, key))
  }

  private func check(_ chipKey: [UInt8], ownKey: [UInt8], _ step: PACEError.Step) throws {
    guard chipKey != ownKey else { throw PACEError.reflectedKey(step) }
    try inStep(step) { try group.validate(chipKey) }
  }

  private func inStep<Result>(_ step: PACEError.Step, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let problem as GroupElementProblem {
      throw PACEError.invalidElement(step, problem)
    }
  }
}
