import Cryptography

/// Basic Access Control, the reader's side (Doc 9303-11, 4.3), as pure functions over the exchanged bytes.
struct BasicAccessControl {
  /// The reader's share of one run.
  struct ReaderShare {
    /// `RND.IFD`, 8 bytes.
    let nonce: [UInt8]
    /// `K.IFD`, 16 bytes.
    let keyingMaterial: SecretBytes

    static func random() throws -> ReaderShare {
      ReaderShare(nonce: try RandomBytes.make(8), keyingMaterial: try RandomBytes.makeSecret(16))
    }
  }

  /// Why the chip's answer does not prove that it knows the key.
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
  func authenticationData(challenge: [UInt8], share: ReaderShare) throws -> [UInt8] {
    let plain = SecretBytes(count: 32) { buffer in
      buffer.copyBytes(from: share.nonce + challenge)
      share.keyingMaterial.withUnsafeBytes { buffer[16...].copyBytes(from: $0) }
    }
    let cryptogram = try plain.withUnsafeBytes { try cipher.encrypt($0) }
    return cryptogram + (try authenticator.mac(cryptogram))
  }

  /// Checks the chip's answer and derives the session.
  ///
  /// - Throws: `Problem` where the answer is not from a chip that knows the key and saw this run's nonces.
  func session(answer: [UInt8], challenge: [UInt8], share: ReaderShare) throws -> SecureMessaging {
    guard answer.count == 40 else { throw Problem.wrongLength }
    guard try authenticator.verify(answer[32...], over: answer[..<32]) else { throw Problem.wrongMAC }
    let plain = try cipher.decryptSecret(answer[..<32])
    let seed = try plain.withUnsafeBytes { bytes in
      guard constantTimeEqual(bytes[..<16], challenge + share.nonce) else { throw Problem.wrongNonces }
      return SecretBytes(count: 16) { seed in
        share.keyingMaterial.withUnsafeBytes { own in
          for index in 0..<16 { seed[index] = own[index] ^ bytes[16 + index] }
        }
      }
    }
    let suite = try TripleDESSuite(
      encryptionKey: KeyDerivation.derive(seed, .encryption, for: .tripleDES),
      authenticationKey: KeyDerivation.derive(seed, .authentication, for: .tripleDES))
    return SecureMessaging(
      suite: suite, sendSequenceCounter: Array(challenge.suffix(4) + share.nonce.suffix(4)))
  }
}
