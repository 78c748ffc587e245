import TesseraCryptography
import TesseraSmartCard

/// PACE on the reader's side (Doc 9303-11, 4.4), as pure functions over the exchanged bytes.
package struct PACE {
  let pace: PACEProtocol
  let group: any KeyAgreementGroup

  package init(pace: PACEProtocol, group: any KeyAgreementGroup) {
    self.pace = pace
    self.group = group
  }

  // MARK: - Step 1: the nonce

  /// `K_pi` (Doc 9303-11, 9.7.3).
  package static func passwordKey(_ key: AccessKey, for cipher: KeyDerivation.Cipher) throws -> SecretBytes {
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
  package func genericGenerator(nonce: SecretBytes, privateKey: SecretBytes, publicKey: [UInt8], chipKey: [UInt8])
    throws
    -> [UInt8]
  {
    try check(chipKey, ownKey: publicKey, .mapping)
    return try inStep(.mapping) {
      let shared = try group.multiply(chipKey, by: privateKey)
      return try group.combine(group.multiply(group.generator, by: nonce), shared)
    }
  }

  /// The integrated mapping: maps a pseudo-random number of both nonces to the generator (Doc 9303-11, 4.4.3.3.2).
  func integratedGenerator(nonce: SecretBytes, readerNonce: SecretBytes) throws -> [UInt8] {
    let number = try PACERandomFunction(cipher: pace.cipher).value(
      nonce: nonce, readerNonce: readerNonce, primeBits: group.primeBits)
    return try inStep(.mapping) { try group.element(ofFieldValue: number) }
  }

  // MARK: - Step 3 and 4: key agreement and tokens

  /// The result of the key agreement.
  package struct Agreement {
    package let keys: SessionKeys
    /// `T_IFD`, the token that this reader sends.
    package let readerToken: [UInt8]
    /// `T_IC`, the token that the chip must send.
    package let chipToken: [UInt8]
  }

  /// - Parameter sentKey: the chip's key as received. The token covers these bytes: a chip that sends leading zeros
  ///   also includes them when it verifies the token.
  /// - Throws: `PACEError` if the chip's key is invalid, or is this reader's own.
  package func agreement(
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

/// The pseudo-random function `R(s, t)` of the integrated mapping (Doc 9303-11, 4.4.3.3.2).
struct PACERandomFunction {
  let cipher: KeyDerivation.Cipher

  /// Length of a block in bytes, `l`: 128 bits for keys of 128 bits, 256 for longer ones.
  private var blockLength: Int { cipher.keyLength > 16 ? 32 : 16 }

  /// Length of the reader's nonce `t`, which is used as a key.
  var readerNonceLength: Int { cipher.keyLength }

  private var constants: (key: [UInt8], output: [UInt8]) {
    blockLength == 16
      ? (Self.bytes("A668892A7C41E3CA739F40B057D85904"), Self.bytes("A4E136AC725F738B01C1F60217C188AD"))
      : (
        Self.bytes("D463D65234124EF7897054986DCA0A174E28DF758CBAA03F240616414D5A1676"),
        Self.bytes("54BD7255F0AAF831BEC3423FCF39D69B6CBF066677D0FAAE5AADD99DF8E53517")
      )
  }

  private static func bytes(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text) ?? [] }

  /// A big-endian number at least 64 bits longer than the prime, so that its remainder is nearly uniform.
  ///
  /// - Parameters:
  ///   - nonce: `s`, decrypted.
  ///   - readerNonce: `t`.
  /// - Throws: `PACEError.malformedResponse` if the chip's nonce does not have the length that the mapping requires.
  func value(nonce: SecretBytes, readerNonce: SecretBytes, primeBits: Int) throws -> [UInt8] {
    try trace(nonce: nonce, readerNonce: readerNonce, primeBits: primeBits).value
  }

  /// The same with the keys of every round, for known-answer tests.
  func trace(
    nonce: SecretBytes, readerNonce: SecretBytes, primeBits: Int
  ) throws -> (value: [UInt8], keys: [SecretBytes]) {
    guard nonce.count == blockLength else { throw PACEError.malformedResponse(.nonce) }
    let constants = constants
    let rounds = (primeBits + 64 + blockLength * 8 - 1) / (blockLength * 8)
    var keys = [try key(encrypt(nonce, under: readerNonce))]
    var value: [UInt8] = []
    for round in 0..<rounds {
      let output = try encrypt(SecretBytes(constants.output), under: keys[round])
      output.withUnsafeBytes { value += $0 }
      keys.append(try key(encrypt(SecretBytes(constants.key), under: keys[round])))
    }
    return (value, Array(keys.prefix(rounds)))
  }

  /// A key of 192 bits is the start of a block of 256.
  private func key(_ block: SecretBytes) -> SecretBytes { SecretBytes(block, prefix: cipher.keyLength) }

  private func encrypt(_ block: SecretBytes, under key: SecretBytes) throws -> SecretBytes {
    switch cipher {
    case .tripleDES: try TripleDES(key: key).encryptSecret(block)
    case .aes128, .aes192, .aes256:
      try AES(key: key).encryptSecret(block, initialisationVector: AES.zeroVector)
    }
  }
}
