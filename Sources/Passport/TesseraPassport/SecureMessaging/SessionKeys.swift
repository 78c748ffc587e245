import TesseraCryptography

/// The two keys of a session, derived from the shared secret (Doc 9303-11, 9.7.1).
package struct SessionKeys {
  let cipher: KeyDerivation.Cipher
  /// `KS_Enc`.
  let encryption: SecretBytes
  /// `KS_MAC`.
  let authentication: SecretBytes

  package init(cipher: KeyDerivation.Cipher, sharedSecret: SecretBytes) throws {
    self.cipher = cipher
    encryption = try KeyDerivation.derive(sharedSecret, .encryption, for: cipher)
    authentication = try KeyDerivation.derive(sharedSecret, .authentication, for: cipher)
  }

  package init(cipher: KeyDerivation.Cipher, encryption: SecretBytes, authentication: SecretBytes) {
    self.cipher = cipher
    self.encryption = encryption
    self.authentication = authentication
  }

  /// Secure messaging with these keys.
  ///
  /// - Parameter counter: the send sequence counter; zero after PACE and Chip Authentication (Doc 9303-11, 9.8.6.3).
  package func secureMessaging(counter: [UInt8]? = nil) throws -> SecureMessaging {
    let suite = try protectionSuite()
    return SecureMessaging(
      suite: suite, sendSequenceCounter: counter ?? [UInt8](repeating: 0, count: suite.blockSize))
  }

  /// The cipher and the MAC with these keys.
  package func protectionSuite() throws -> any ProtectionSuite {
    switch cipher {
    case .tripleDES: try TripleDESSuite(encryptionKey: encryption, authenticationKey: authentication)
    case .aes128, .aes192, .aes256: try AESSuite(encryptionKey: encryption, authenticationKey: authentication)
    }
  }

  /// An eight-byte MAC over `message`, which is padded only if the cipher needs it (Doc 9303-11, 4.4.3.4).
  func token(over message: [UInt8]) throws -> [UInt8] {
    switch cipher {
    case .tripleDES: try RetailMAC(key: authentication).mac(message)
    case .aes128, .aes192, .aes256: Array(try CMAC(key: authentication).mac(message).prefix(8))
    }
  }
}

extension KeyDerivation.Cipher {
  /// The last arc of the object identifiers of PACE and Chip Authentication (BSI TR-03110-3, A.1.1).
  init?(arc: Int) {
    switch arc {
    case 1: self = .tripleDES
    case 2: self = .aes128
    case 3: self = .aes192
    case 4: self = .aes256
    default: return nil
    }
  }

  /// `3DES`, `AES-128`, …
  package var name: String {
    switch self {
    case .tripleDES: "3DES"
    case .aes128: "AES-128"
    case .aes192: "AES-192"
    case .aes256: "AES-256"
    }
  }

  /// Bits of security (NIST SP 800-57-1, table 2).
  var strength: Int {
    switch self {
    case .tripleDES: 80
    case .aes128: 128
    case .aes192: 192
    case .aes256: 256
    }
  }

  var blockSize: Int { self == .tripleDES ? TripleDES.blockSize : AES.blockSize }
}

/// The cipher and the MAC of secure messaging (Doc 9303-11, 9.8.6).
package protocol ProtectionSuite {
  /// Block size of the cipher, and length of the send sequence counter.
  var blockSize: Int { get }
  /// - Parameters:
  ///   - blocks: padded data.
  ///   - counter: the send sequence counter, already incremented.
  func encrypt(_ blocks: [UInt8], counter: [UInt8]) throws -> [UInt8]
  func decrypt(_ blocks: ArraySlice<UInt8>, counter: [UInt8]) throws -> [UInt8]
  /// An eight-byte MAC over `bytes`, which are whole blocks.
  func mac(padded bytes: [UInt8]) throws -> [UInt8]
}

/// 3DES in CBC mode with a zero initialisation vector, and the retail MAC (Doc 9303-11, 9.8.6.1).
struct TripleDESSuite: ProtectionSuite {
  private let cipher: TripleDES
  private let authenticator: RetailMAC
  let blockSize = TripleDES.blockSize

  init(encryptionKey: SecretBytes, authenticationKey: SecretBytes) throws {
    cipher = try TripleDES(key: encryptionKey)
    authenticator = try RetailMAC(key: authenticationKey)
  }

  func encrypt(_ blocks: [UInt8], counter: [UInt8]) throws -> [UInt8] { try cipher.encrypt(blocks) }
  func decrypt(_ blocks: ArraySlice<UInt8>, counter: [UInt8]) throws -> [UInt8] { try cipher.decrypt(blocks) }
  func mac(padded bytes: [UInt8]) throws -> [UInt8] { try authenticator.mac(padded: bytes) }
}

/// AES in CBC mode with the encrypted send sequence counter as initialisation vector, and CMAC truncated to eight bytes
/// (Doc 9303-11, 9.8.6.2).
struct AESSuite: ProtectionSuite {
  private static let macLength = 8
  private let cipher: AES
  private let authenticator: CMAC
  let blockSize = AES.blockSize

  init(encryptionKey: SecretBytes, authenticationKey: SecretBytes) throws {
    cipher = try AES(key: encryptionKey)
    authenticator = try CMAC(key: authenticationKey)
  }

  func encrypt(_ blocks: [UInt8], counter: [UInt8]) throws -> [UInt8] {
    try cipher.encrypt(blocks, initialisationVector: vector(counter))
  }

  func decrypt(_ blocks: ArraySlice<UInt8>, counter: [UInt8]) throws -> [UInt8] {
    try cipher.decrypt(blocks, initialisationVector: vector(counter))
  }

  func mac(padded bytes: [UInt8]) throws -> [UInt8] { Array(try authenticator.mac(bytes).prefix(Self.macLength)) }

  func vector(_ counter: [UInt8]) throws -> [UInt8] {
    try cipher.encrypt(counter, initialisationVector: AES.zeroVector)
  }
}
