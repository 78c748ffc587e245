internal import CTesseraMemory
internal import CTesseraOpenSSL

/// An Ed25519 private key (RFC 8032) in this process. OpenSSL wipes its copy on release.
///
/// `@unchecked Sendable`: OpenSSL's key object is only read after the initialiser, and reading it from several
/// threads is allowed (openssl-threads(7)).
package final class Ed25519PrivateKey: @unchecked Sendable {
  /// Length of the seed and of the public key in bytes.
  package static let length = 32
  /// Length of a signature in bytes.
  package static let signatureLength = 64

  private let key: OpaquePointer
  /// The public key: 32 bytes.
  package let publicKey: [UInt8]

  /// - Parameter seed: The private key as RFC 8032, 5.1.5 counts it: 32 random bytes.
  /// - Throws: `CryptographyError.malformed` when it has another length.
  package init(seed: SecretBytes) throws {
    guard seed.count == Self.length else { throw CryptographyError.malformed("Ed25519 seed of \(seed.count) bytes") }
    SecureHeap.prepare()
    let key = seed.withUnsafeBytes { bytes in
      EVP_PKEY_new_raw_private_key(
        EVP_PKEY_ED25519, nil, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
    guard let key else { throw CryptographyError.last("EVP_PKEY_new_raw_private_key") }
    var publicKey = [UInt8](repeating: 0, count: Self.length)
    var length = publicKey.count
    guard EVP_PKEY_get_raw_public_key(key, &publicKey, &length) == 1, length == Self.length else {
      // `deinit` does not run if the initialiser throws.
      EVP_PKEY_free(key)
      throw CryptographyError.last("EVP_PKEY_get_raw_public_key")
    }
    self.key = key
    self.publicKey = publicKey
  }

  deinit { EVP_PKEY_free(key) }

  /// The signature of `message`: 64 bytes.
  package func sign(_ message: [UInt8]) throws -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw CryptographyError.last("EVP_MD_CTX_new") }
    defer {
      EVP_MD_CTX_free(context)
      tessera_forget_registers()
    }
    // The algorithm has its own hash function, so none is named.
    guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1 else {
      throw CryptographyError.last("EVP_DigestSignInit")
    }
    var signature = [UInt8](repeating: 0, count: Self.signatureLength)
    var length = signature.count
    guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1, length == signature.count else {
      throw CryptographyError.last("EVP_DigestSign")
    }
    return signature
  }
}
