import TesseraCryptography

/// Encryption and MAC of a cipher suite: CBC without padding, and a MAC of eight bytes (Doc 9303-11, 9.8.6 and
/// 9.8.7).
enum CardCipher {
  /// Encrypts whole blocks.
  static func encrypt(
    _ blocks: some Collection<UInt8>, key: SecretBytes, _ cipher: KeyDerivation.Cipher, vector: [UInt8]? = nil
  ) throws -> [UInt8] {
    switch cipher {
    case .tripleDES: try TripleDES(key: key).encrypt(blocks)
    case .aes128, .aes192, .aes256: try CardAES(key: key).encrypt(blocks, vector: vector)
    }
  }

  /// The MAC of a token. Only 3DES pads it.
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
