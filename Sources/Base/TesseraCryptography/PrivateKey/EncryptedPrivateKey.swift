internal import CTesseraOpenSSL
import SwiftASN1
import TesseraCore

/// `EncryptedPrivateKeyInfo` (PKCS #8, RFC 5958, 3) with PBES2 (RFC 8018) and AES-256-CBC, which OpenSSL and other
/// tools can read.
public struct EncryptedPrivateKey: Sendable, Equatable {
  public let der: [UInt8]

  /// The kind of secret that protects the key. It determines the cost of the key derivation.
  package enum SecretKind: Sendable {
    /// A passphrase: scrypt.
    case passphrase
    /// At least 128 random bits, which need no strengthening: PBKDF2.
    case random
  }

  package init(der: [UInt8]) { self.der = der }

  /// Whether the outer structure is valid. Checking the content needs the secret.
  package var isWellFormed: Bool {
    guard let envelope = try? ASN1Node.parse(der, "encrypted private key"),
      let parts = try? envelope.children("encrypted private key"), parts.count == 2
    else { return false }
    return parts[0].identifier == .sequence && parts[1].identifier == .octetString
  }

  /// Whether deriving the key takes an acceptable time. The cost parameters (PBKDF2's iterations, scrypt's three
  /// numbers) come from the file, which may be hostile.
  private var isAffordable: Bool {
    guard let algorithm = try? ASN1Node.parse(der, "encrypted private key").children("encrypted private key").first
    else { return true }
    var work = 1.0
    func multiplyIntegers(_ node: ASN1Node, _ depth: Int) {
      switch node.content {
      case .constructed(let nodes): if depth < 8 { for node in nodes { multiplyIntegers(node, depth + 1) } }
      case .primitive(let bytes):
        if node.identifier == .integer { work *= max(1, bytes.reduce(0) { $0 * 256 + Double($1) }) }
      }
    }
    multiplyIntegers(algorithm, 0)
    // 2^26 iterations of PBKDF2 take about 20 seconds; OpenSSL limits the memory of scrypt.
    return work <= Double(1 << 31)
  }

  /// Encrypts a key.
  package init(_ key: SigningKey, under secret: SecretBytes, _ kind: SecretKind) throws {
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
    // 16 MiB and a parallelism of 5: as much work for an attacker as OWASP's first choice (2^17, parallelism 1), within
    // the 32 MiB that OpenSSL's decoder allows.
    case .passphrase: PKCS5_pbe2_set_scrypt(EVP_aes_256_cbc(), nil, 16, nil, 1 << 14, 8, 5)
    case .random: PKCS5_pbe2_set_iv(EVP_aes_256_cbc(), 2048, nil, 16, nil, NID_hmacWithSHA256)
    }
  }

  /// Decrypts the key.
  ///
  /// - Throws: `CryptographyError.wrongSecret` if the secret is wrong; other errors if the content is not a P-256 key.
  package func key(under secret: SecretBytes) throws -> SigningKey {
    // OpenSSL's decoder ignores bytes after the structure.
    guard isWellFormed else { throw CryptographyError.malformed("an encrypted private key") }
    let encrypted = der.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return d2i_X509_SIG(nil, &cursor, buffer.count)
    }
    guard let encrypted else { throw CryptographyError.last("decoding an encrypted private key") }
    guard isAffordable else { throw CryptographyError.unsupported("an encryption whose key derivation takes too long") }
    defer { X509_SIG_free(encrypted) }
    let info = secret.withUnsafeBytes { bytes in
      PKCS8_decrypt(encrypted, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
    guard let info else { throw Self.reason() }
    defer { PKCS8_PRIV_KEY_INFO_free(info) }
    let length = i2d_PKCS8_PRIV_KEY_INFO(info, nil)
    guard length > 0 else { throw CryptographyError.last("i2d_PKCS8_PRIV_KEY_INFO") }
    let plain = SecretBytes(count: Int(length)) { buffer in
      var cursor = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      _ = i2d_PKCS8_PRIV_KEY_INFO(info, &cursor)
    }
    return try SigningKey(pkcs8: plain)
  }

  /// A wrong secret or a modified file gives wrong padding; other errors have different reasons.
  private static func reason() -> CryptographyError {
    let error = CryptographyError.last("PKCS8_decrypt")
    guard case .openSSL(_, let reasons) = error else { return error }
    // OpenSSL gives scrypt 32 MiB, too little for the key in RFC 7914, 14 (OpenSSL, issue 24650).
    let signs = ["unknown", "unsupported", "memory limit", "scrypt"]
    let isForeign = reasons.contains { reason in signs.contains { reason.contains($0) } }
    return isForeign ? .unsupported("the encryption of this private key") : .wrongSecret
  }
}
