import TesseraCryptography

/// The mappings of the nonce to an ephemeral generator (Doc 9303-11, 4.4.3.3.2 and 4.4.3.5).
enum CardPACEMapping {
  /// Generic Mapping: `s · G + H`, or `g^s · h`.
  ///
  /// - Parameter shared: The shared secret `H` or `h` of the anonymous key agreement.
  static func generic(_ group: any AgreementGroup, nonce: [UInt8], shared: [UInt8]) throws -> [UInt8] {
    try group.combine(group.raise(group.generator, to: nonce), shared)
  }

  /// Integrated Mapping: a group element derived from the nonces of both sides.
  static func integrated(
    _ group: any AgreementGroup, cipher: KeyDerivation.Cipher, nonce: [UInt8], terminalNonce: [UInt8]
  ) throws -> [UInt8] {
    let stream = try pseudoRandom(
      cipher: cipher, nonce: nonce, terminalNonce: terminalNonce, bits: group.fieldBits + 64)
    return try group.element(of: stream.bytes)
  }

  /// The length of the card's nonce in bytes: that of the constants for Integrated Mapping, otherwise 16.
  static func nonceLength(_ mapping: PACEOffer.Mapping, _ cipher: KeyDerivation.Cipher) -> Int {
    mapping == .integrated ? constants(cipher).0.count : 16
  }

  /// The pseudo-random function `R(s, t)` (Doc 9303-11, 4.4.3.5.2, figure 3).
  ///
  /// - Parameters:
  ///   - terminalNonce: `t`, with the key length of the cipher.
  ///   - bits: The minimum length of the result.
  /// - Returns: `R` and the intermediate keys.
  static func pseudoRandom(
    cipher: KeyDerivation.Cipher, nonce: [UInt8], terminalNonce: [UInt8], bits: Int
  ) throws -> (bytes: [UInt8], keys: [[UInt8]]) {
    guard terminalNonce.count == cipher.keyLength else { throw CryptographyError.malformed("the terminal's nonce") }
    let (c0, c1) = constants(cipher)
    func encrypt(_ blocks: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
      try CardCipher.encrypt(blocks, key: SecretBytes(key.prefix(cipher.keyLength)), cipher)
    }
    var key = try encrypt(nonce, terminalNonce)
    var keys: [[UInt8]] = []
    var bytes: [UInt8] = []
    repeat {
      keys.append(key)
      bytes += try encrypt(c1, key)
      key = try encrypt(c0, key)
    } while bytes.count * 8 < bits
    return (bytes, keys)
  }

  /// `c0` and `c1`: 128 bits for 3DES and AES-128, otherwise 256.
  private static func constants(_ cipher: KeyDerivation.Cipher) -> ([UInt8], [UInt8]) {
    switch cipher {
    case .tripleDES, .aes128:
      (
        [0xA6, 0x68, 0x89, 0x2A, 0x7C, 0x41, 0xE3, 0xCA, 0x73, 0x9F, 0x40, 0xB0, 0x57, 0xD8, 0x59, 0x04],
        [0xA4, 0xE1, 0x36, 0xAC, 0x72, 0x5F, 0x73, 0x8B, 0x01, 0xC1, 0xF6, 0x02, 0x17, 0xC1, 0x88, 0xAD]
      )
    case .aes192, .aes256:
      (
        [
          0xD4, 0x63, 0xD6, 0x52, 0x34, 0x12, 0x4E, 0xF7, 0x89, 0x70, 0x54, 0x98, 0x6D, 0xCA, 0x0A, 0x17,
          0x4E, 0x28, 0xDF, 0x75, 0x8C, 0xBA, 0xA0, 0x3F, 0x24, 0x06, 0x16, 0x41, 0x4D, 0x5A, 0x16, 0x76,
        ],
        [
          0x54, 0xBD, 0x72, 0x55, 0xF0, 0xAA, 0xF8, 0x31, 0xBE, 0xC3, 0x42, 0x3F, 0xCF, 0x39, 0xD6, 0x9B,
          0x6C, 0xBF, 0x06, 0x66, 0x77, 0xD0, 0xFA, 0xAE, 0x5A, 0xAD, 0xD9, 0x9D, 0xF8, 0xE5, 0x35, 0x17,
        ]
      )
    }
  }
}
