internal import CTesseraOpenSSL

/// The hash functions that travel documents use (Doc 9303-12, 4.4.3).
public enum HashAlgorithm: String, Sendable, CaseIterable {
  case sha1 = "SHA-1"
  case sha224 = "SHA-224"
  case sha256 = "SHA-256"
  case sha384 = "SHA-384"
  case sha512 = "SHA-512"

  /// Length of the digest in bytes.
  package var digestLength: Int {
    switch self {
    case .sha1: 20
    case .sha224: 28
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// The object identifier in dotted form.
  package var objectIdentifier: String {
    switch self {
    case .sha1: "1.3.14.3.2.26"
    case .sha224: "2.16.840.1.101.3.4.2.4"
    case .sha256: "2.16.840.1.101.3.4.2.1"
    case .sha384: "2.16.840.1.101.3.4.2.2"
    case .sha512: "2.16.840.1.101.3.4.2.3"
    }
  }

  package init?(objectIdentifier: String) {
    guard let match = Self.allCases.first(where: { $0.objectIdentifier == objectIdentifier }) else { return nil }
    self = match
  }

  var evp: OpaquePointer? {
    switch self {
    case .sha1: EVP_sha1()
    case .sha224: EVP_sha224()
    case .sha256: EVP_sha256()
    case .sha384: EVP_sha384()
    case .sha512: EVP_sha512()
    }
  }

  /// SHA-256, fetched once: `EVP_sha256()` makes OpenSSL 3 look its implementation up at every use.
  ///
  /// `nonisolated(unsafe)`: OpenSSL never changes a fetched method, and this one is never freed.
  private nonisolated(unsafe) static let sha256Implementation = EVP_MD_fetch(nil, "SHA256", nil)

  /// The digest of `bytes`.
  @inlinable
  package func digest(of bytes: some Collection<UInt8>) throws -> [UInt8] {
    try bytes.withBytes { try digest($0) }
  }

  /// The digest of a secret, itself a secret.
  package func secretDigest(of secret: SecretBytes) throws -> SecretBytes {
    try SecretBytes(count: digestLength) { output in
      try secret.withUnsafeBytes { bytes in
        guard
          EVP_Digest(
            bytes.baseAddress, bytes.count, output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, evp, nil) == 1
        else { throw CryptographyError.last("EVP_Digest") }
      }
    }
  }

  @usableFromInline
  func digest(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: digestLength)
    var length: UInt32 = 0
    let implementation = self == .sha256 ? Self.sha256Implementation ?? evp : evp
    guard EVP_Digest(bytes.baseAddress, bytes.count, &output, &length, implementation, nil) == 1 else {
      throw CryptographyError.last("EVP_Digest")
    }
    return output
  }
}

/// A digest that is computed incrementally over several pieces of input.
package final class RunningDigest {
  private let context: OpaquePointer
  private let hash: HashAlgorithm

  package init(_ hash: HashAlgorithm) throws {
    guard let context = EVP_MD_CTX_new() else { throw CryptographyError.last("EVP_MD_CTX_new") }
    self.context = context
    self.hash = hash
    guard EVP_DigestInit_ex(context, hash.evp, nil) == 1 else { throw CryptographyError.last("EVP_DigestInit_ex") }
  }

  deinit { EVP_MD_CTX_free(context) }

  package func update(_ bytes: UnsafeRawBufferPointer) throws {
    guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
      throw CryptographyError.last("EVP_DigestUpdate")
    }
  }

  package func update(_ bytes: some Collection<UInt8>) throws {
    try Array(bytes).withUnsafeBytes { try update($0) }
  }

  /// The digest of all bytes passed to `update`. Do not call `update` afterwards.
  package func finish() throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: hash.digestLength)
    guard EVP_DigestFinal_ex(context, &output, nil) == 1 else { throw CryptographyError.last("EVP_DigestFinal_ex") }
    return output
  }
}
