internal import CTesseraOpenSSL

/// A certificate whose owner can decrypt an `EnvelopedData`.
package struct EnvelopeRecipient: Sendable, Equatable {
  enum Algorithm: Sendable {
    /// RSAES-OAEP with SHA-256 (RFC 3560).
    case rsa
    /// ECDH with an ephemeral key (RFC 5753).
    case ellipticCurve
  }

  package let certificate: Certificate
  let algorithm: Algorithm

  /// Bits of the smallest RSA key and of the smallest curve.
  private static let smallestModulus = 2048
  private static let smallestCurve = 256

  /// Neither the issuer nor the validity of the certificate is checked: who names it vouches for it.
  ///
  /// - Throws: `CryptographyError.unsupported` if the key is of another type, too short, or not for encryption by its
  ///   `keyUsage`; `CryptographyError` if the key cannot be decoded.
  package init(_ certificate: Certificate) throws {
    let decoded = try OpenSSLCertificate(der: certificate.der)
    guard let key = X509_get0_pubkey(decoded.pointer) else {
      throw CryptographyError.last("decoding a recipient's key")
    }
    let bits = Int(EVP_PKEY_get_bits(key))
    let usage = X509_get_key_usage(decoded.pointer)
    let isForEncryption: Bool
    if EVP_PKEY_is_a(key, "RSA") == 1, bits >= Self.smallestModulus {
      algorithm = .rsa
      isForEncryption = usage & UInt32(KU_KEY_ENCIPHERMENT) != 0
    } else if EVP_PKEY_is_a(key, "EC") == 1, bits >= Self.smallestCurve {
      algorithm = .ellipticCurve
      isForEncryption = usage & UInt32(KU_KEY_AGREEMENT) != 0
    } else {
      throw CryptographyError.unsupported("a recipient's key that is neither RSA of 2048 bits nor on a curve of 256")
    }
    guard isForEncryption else {
      throw CryptographyError.unsupported("a certificate whose key usage does not include encryption")
    }
    self.certificate = certificate
  }

  /// The recipients of the certificates in a PEM file, at least one.
  ///
  /// - Throws: `CryptographyError.malformed` if there is no certificate or one cannot be decoded; those of `init(_:)`.
  package static func recipients(pem: SecretBytes) throws -> [EnvelopeRecipient] {
    let certificates = try PEM.blocks(of: pem).filter { labels.contains($0.label) }
    guard !certificates.isEmpty else { throw CryptographyError.malformed("a file without a certificate") }
    return try certificates.map { block in
      try EnvelopeRecipient(Certificate(der: block.content.withUnsafeBytes { Array($0) }))
    }
  }

  private static let labels = ["CERTIFICATE", "X509 CERTIFICATE"]
}
