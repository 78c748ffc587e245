import TesseraCryptography

/// Basic Access Control on the reader's side (Doc 9303-11, 4.3), as pure functions over the exchanged bytes.
struct BasicAccessControl {
  /// The random values of the reader for one run.
  struct ReaderRandomValues {
    /// `RND.IFD`, 8 bytes.
    let nonce: [UInt8]
    /// `K.IFD`, 16 bytes.
    let keyingMaterial: SecretBytes

    static func generate() throws -> ReaderRandomValues {
      ReaderRandomValues(nonce: try RandomBytes.make(8), keyingMaterial: try RandomBytes.makeSecret(16))
    }
  }

  /// The reason why the chip's response does not prove that it knows the key.
  enum Problem: Error, Equatable {
    case wrongLength
    case wrongMAC
    case wrongNonces
  }

  private let cipher: TripleDES
  private let authenticator: RetailMAC

  /// - Parameter keySeed: `K_seed` of the MRZ information.
  init(keySeed: SecretBytes) throws {
    try self.init(
      encryptionKey: KeyDerivation.derive(keySeed, .encryption, for: .tripleDES),
      authenticationKey: KeyDerivation.derive(keySeed, .authentication, for: .tripleDES))
  }

  init(encryptionKey: SecretBytes, authenticationKey: SecretBytes) throws {
    cipher = try TripleDES(key: encryptionKey)
    authenticator = try RetailMAC(key: authenticationKey)
  }

  /// `E.IFD || M.IFD`, the 40 bytes of data of EXTERNAL AUTHENTICATE.
  ///
  /// - Parameter challenge: `RND.IC`, 8 bytes.
  func authenticationData(challenge: [UInt8], randomValues: ReaderRandomValues) throws -> [UInt8] {
    let plain = SecretBytes(count: 32) { buffer in
      buffer.copyBytes(from: randomValues.nonce + challenge)
      randomValues.keyingMaterial.withUnsafeBytes { buffer[16...].copyBytes(from: $0) }
    }
    let cryptogram = try plain.withUnsafeBytes { try cipher.encrypt($0) }
    return cryptogram + (try authenticator.mac(cryptogram))
  }

  /// Verifies the chip's response and derives the session.
  ///
  /// - Throws: `Problem` if the response does not prove that the chip knows the key and received this run's nonces.
  func session(answer: [UInt8], challenge: [UInt8], randomValues: ReaderRandomValues) throws -> SecureMessaging {
    guard answer.count == 40 else { throw Problem.wrongLength }
    guard try authenticator.verify(answer[32...], over: answer[..<32]) else { throw Problem.wrongMAC }
    let plain = try cipher.decryptSecret(answer[..<32])
    let seed = try plain.withUnsafeBytes { bytes in
      guard constantTimeEqual(bytes[..<16], challenge + randomValues.nonce) else { throw Problem.wrongNonces }
      return SecretBytes(count: 16) { seed in
        randomValues.keyingMaterial.withUnsafeBytes { own in
          for index in 0..<16 { seed[index] = own[index] ^ bytes[16 + index] }
        }
      }
    }
    let suite = try TripleDESSuite(
      encryptionKey: KeyDerivation.derive(seed, .encryption, for: .tripleDES),
      authenticationKey: KeyDerivation.derive(seed, .authentication, for: .tripleDES))
    return SecureMessaging(
      suite: suite, sendSequenceCounter: Array(challenge.suffix(4) + randomValues.nonce.suffix(4)))
  }
}
