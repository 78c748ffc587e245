internal import CTesseraOpenSSL

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
