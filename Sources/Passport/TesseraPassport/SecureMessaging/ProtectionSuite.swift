import TesseraCryptography

/// The cipher and the MAC of secure messaging (Doc 9303-11, 9.8.6).
protocol ProtectionSuite {
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
