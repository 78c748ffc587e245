internal import COpenSSL
import SwiftASN1

/// `EncryptedPrivateKeyInfo` (PKCS#8, RFC 5958, 3) under PBES2 (RFC 8018) with AES-256-CBC; OpenSSL and everybody else
/// can read it.
public struct EncryptedPrivateKey: Sendable, Equatable {
  public let der: [UInt8]

  /// What the key is derived from, which decides how much work the derivation has to be.
  public enum SecretKind: Sendable {
    /// Something that a person remembers: scrypt.
    case passphrase
    /// At least 128 random bits: PBKDF2 as an encoding only.
    case random
  }

  public init(der: [UInt8]) { self.der = der }

  /// Whether it has the outer form; what is inside only the secret tells.
  public var isWellFormed: Bool {
    guard let envelope = try? ASN1Node.parse(der, "encrypted private key"),
      let parts = try? envelope.children("encrypted private key"), parts.count == 2
    else { return false }
    return parts[0].identifier == .sequence && parts[1].identifier == .octetString
  }

  /// Whether the derivation of the key ends in bearable time: the numbers in the file (rounds, and scrypt's three) come
  /// from whoever wrote it.
  private var isAffordable: Bool {
    guard let algorithm = try? ASN1Node.parse(der, "encrypted private key").children("encrypted private key").first
    else { return true }
    var work = 1.0
    func look(_ node: ASN1Node, _ depth: Int) {
      switch node.content {
      case .constructed(let nodes): if depth < 8 { for node in nodes { look(node, depth + 1) } }
      case .primitive(let bytes):
        if node.identifier == .integer { work *= max(1, bytes.reduce(0) { $0 * 256 + Double($1) }) }
      }
    }
    look(algorithm, 0)
    // 2^26 rounds of PBKDF2 take about 20 seconds; scrypt's memory has a limit of its own.
    return work <= Double(1 << 31)
  }

  /// Encrypts.
  public init(_ key: SigningKey, under secret: SecretBytes, _ kind: SecretKind) throws {
    let plain = try key.pkcs8
    let info = plain.withUnsafeBytes { bytes in
      var cursor = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return d2i_PKCS8_PRIV_KEY_INFO(nil, &cursor, bytes.count)
    }
    guard let info else { throw CryptographyError.last("PKCS#8") }
    defer { PKCS8_PRIV_KEY_INFO_free(info) }
    guard let algorithm = Self.algorithm(kind) else { throw CryptographyError.last("PBES2") }
    let encrypted = secret.withUnsafeBytes { bytes in
      PKCS8_set0_pbe(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), info, algorithm)
    }
    guard let encrypted else {
      X509_ALGOR_free(algorithm)
      throw CryptographyError.last("PKCS8_set0_pbe")
    }
    defer { X509_SIG_free(encrypted) }
    var buffer: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509_SIG(encrypted, &buffer)
    guard length > 0, let buffer else { throw CryptographyError.last("i2d_X509_SIG") }
    defer { tessera_openssl_free(buffer) }
    der = Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
  }

  private static func algorithm(_ kind: SecretKind) -> UnsafeMutablePointer<X509_ALGOR>? {
    switch kind {
    // 16 MiB and five lanes: as much work for an attacker as OWASP's first choice (2^17, one lane), within the 32 MiB
    // that OpenSSL's decoder allows.
    case .passphrase: PKCS5_pbe2_set_scrypt(EVP_aes_256_cbc(), nil, 16, nil, 1 << 14, 8, 5)
    case .random: PKCS5_pbe2_set_iv(EVP_aes_256_cbc(), 2048, nil, 16, nil, NID_hmacWithSHA256)
    }
  }

  /// Decrypts.
  ///
  /// - Throws: `CryptographyError.wrongSecret` where the secret does not open it; others where it holds no P-256 key.
  public func key(under secret: SecretBytes) throws -> SigningKey {
    // OpenSSL's decoder passes over bytes behind the envelope.
    guard isWellFormed else { throw CryptographyError.malformed("an encrypted private key") }
    let encrypted = der.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return d2i_X509_SIG(nil, &cursor, buffer.count)
    }
    guard let encrypted else { throw CryptographyError.last("decoding an encrypted private key") }
    guard isAffordable else { throw CryptographyError.unsupported("an encryption that takes that much work") }
    defer { X509_SIG_free(encrypted) }
    let info = secret.withUnsafeBytes { bytes in
      PKCS8_decrypt(encrypted, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
    guard let info else { throw Self.reason() }
    defer { PKCS8_PRIV_KEY_INFO_free(info) }
    var type: OpaquePointer?
    var content: UnsafePointer<UInt8>?
    var length: Int32 = 0
    var algorithm: UnsafePointer<X509_ALGOR>?
    guard PKCS8_pkey_get0(&type, &content, &length, &algorithm, info) == 1, let content else {
      throw CryptographyError.last("PKCS8_pkey_get0")
    }
    var parameterType: Int32 = 0
    var curve: UnsafeRawPointer?
    X509_ALGOR_get0(nil, &parameterType, &curve, algorithm)
    guard OBJ_obj2nid(type) == NID_X9_62_id_ecPublicKey, parameterType == V_ASN1_OBJECT, let curve,
      OBJ_obj2nid(OpaquePointer(curve)) == NID_X9_62_prime256v1
    else { throw CryptographyError.unsupported("a private key that is not on P-256") }
    return try SigningKey(sec1OnP256: UnsafeRawBufferPointer(start: content, count: Int(length)))
  }

  /// A wrong secret makes the padding wrong, as would a changed file; other reasons name themselves.
  private static func reason() -> CryptographyError {
    let error = CryptographyError.last("PKCS8_decrypt")
    guard case .openSSL(_, let reasons) = error else { return error }
    let isForeign = reasons.contains { $0.contains("unknown") || $0.contains("unsupported") }
    return isForeign ? .unsupported("the encryption of this private key") : .wrongSecret
  }
}
