internal import TesseraCryptography
import TesseraDBus

/// A session, which determines the encryption of secrets on the bus (Secret Service API 0.2, chapters 6 and 7).
struct ServiceSession {
  /// The unique name of the service.
  let owner: String
  let path: String
  /// nil if the service does not support encryption.
  let cipher: AES128CBC?

  static let encryptedAlgorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
  static let plainAlgorithm = "plain"
  private static let parametersError = BusError.malformed("the parameters of a secret")

  /// The key of an encrypted session, 16 bytes: HKDF with SHA-256, without salt and info, of the shared secret with its
  /// leading zeros.
  static func key(_ agreement: ModularDiffieHellman, peerValue: [UInt8]) throws -> SecretBytes {
    try HKDF.derive(agreement.sharedSecret(with: peerValue), count: 16)
  }

  /// Appends `secret` as a structure: session, parameters, value, content type.
  func append(_ secret: SecretBytes, to call: BusMessage) throws {
    guard let cipher else {
      call.markSensitive()
      return try call.appendStructure("oayays") { () throws(BusError) in
        try call.append(objectPath: path)
        try call.append(bytes: [])
        try secret.withUnsafeBytes { bytes in
          Result { () throws(BusError) in try call.append(bytes: bytes) }
        }.get()
        try call.append(Self.contentType)
      }
    }
    let vector = try RandomBytes.make(AES128CBC.blockSize)
    let ciphertext = try cipher.encrypt(secret, initialisationVector: vector)
    try call.appendStructure("oayays") { () throws(BusError) in
      try call.append(objectPath: path)
      try call.append(bytes: vector)
      try call.append(bytes: ciphertext)
      try call.append(Self.contentType)
    }
  }

  private static let contentType = "application/octet-stream"

  /// Reads the secret from the structure.
  func readSecret(from reply: BusMessage) throws -> SecretBytes {
    if cipher == nil { reply.markSensitive() }
    let (session, parameters, value) = try reply.readStructure("oayays") {
      () throws(BusError) -> (String, [UInt8], SecretBytes) in
      let parts = (try reply.readObjectPath(), try reply.readBytes(), try reply.readBytes { SecretBytes($0) })
      _ = try reply.readString()
      return parts
    }
    guard session == path else { throw Self.parametersError }
    guard let cipher else {
      guard parameters.isEmpty else { throw Self.parametersError }
      return value
    }
    guard parameters.count == AES128CBC.blockSize else { throw Self.parametersError }
    return try value.withUnsafeBytes { try cipher.decrypt($0, initialisationVector: parameters) }
  }
}
