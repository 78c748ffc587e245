import TesseraCryptography
import TesseraSmartCard

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
