/// The key derivation function of Doc 9303-11, 9.7.1: `KDF(K, c) = H(K || c)` with a 32-bit big-endian counter.
public enum KeyDerivation {
  /// The purpose of the derived key (the counter `c`).
  package enum Purpose: UInt32, Sendable {
    case encryption = 1
    case authentication = 2
    /// The key that encrypts the PACE nonce, `K_pi`.
    case password = 3
  }

  /// The cipher that uses the derived key. It determines the hash function and the key length.
  public enum Cipher: Sendable, CaseIterable {
    /// Two-key 3DES: 16 bytes of SHA-1, every byte with odd parity.
    case tripleDES
    /// 16 bytes of SHA-1.
    case aes128
    /// 24 bytes of SHA-256.
    case aes192
    /// 32 bytes of SHA-256.
    case aes256

    /// Key length in bytes.
    package var keyLength: Int {
      switch self {
      case .tripleDES, .aes128: 16
      case .aes192: 24
      case .aes256: 32
      }
    }

    var hash: HashAlgorithm {
      switch self {
      case .tripleDES, .aes128: .sha1
      case .aes192, .aes256: .sha256
      }
    }
  }

  /// Derives one key from a shared secret of any length.
  package static func derive(_ secret: SecretBytes, _ purpose: Purpose, for cipher: Cipher) throws -> SecretBytes {
    let input = SecretBytes(count: secret.count + 4) { buffer in
      secret.withUnsafeBytes { buffer.copyMemory(from: $0) }
      buffer[secret.count + 3] = UInt8(purpose.rawValue)
    }
    let digest = try cipher.hash.secretDigest(of: input)
    return digest.withUnsafeBytes { bytes in
      SecretBytes(count: cipher.keyLength) { key in
        key.copyBytes(from: bytes.prefix(cipher.keyLength))
        if case .tripleDES = cipher { adjustParity(key) }
      }
    }
  }

  /// DES keys carry odd parity in the lowest bit of every byte.
  private static func adjustParity(_ key: UnsafeMutableRawBufferPointer) {
    for index in key.indices {
      let upper = key[index] & 0xFE
      key[index] = upper | (upper.nonzeroBitCount.isMultiple(of: 2) ? 1 : 0)
    }
  }
}
