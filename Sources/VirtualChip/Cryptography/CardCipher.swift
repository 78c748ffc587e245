import Cryptography

/// The cipher of a suite with one key: CBC without padding, and the eight bytes of its MAC (Doc 9303-11, 9.8.6 and
/// 9.8.7).
enum CardCipher {
  /// For a key that encrypts.
  static func encrypt(
    _ blocks: some Collection<UInt8>, key: SecretBytes, _ cipher: KeyDerivation.Cipher, vector: [UInt8]? = nil
  ) throws -> [UInt8] {
    switch cipher {
    case .tripleDES: try TripleDES(key: key).encrypt(blocks)
    case .aes128, .aes192, .aes256: try CardAES(key: key).encrypt(blocks, vector: vector)
    }
  }

  /// For a key that authenticates: the MAC of a token, which is padded under 3DES only.
  static func mac(_ message: [UInt8], key: SecretBytes, _ cipher: KeyDerivation.Cipher) throws -> [UInt8] {
    switch cipher {
    case .tripleDES: try RetailMAC(key: key).mac(message)
    case .aes128, .aes192, .aes256: Array(try CardAES(key: key).cmac(message).prefix(8))
    }
  }
}

extension KeyDerivation.Cipher {
  /// In bytes.
  var blockSize: Int { self == .tripleDES ? 8 : 16 }

  /// The last arc of the object identifiers of PACE and Chip Authentication.
  var suiteNumber: UInt8 {
    switch self {
    case .tripleDES: 1
    case .aes128: 2
    case .aes192: 3
    case .aes256: 4
    }
  }
}
