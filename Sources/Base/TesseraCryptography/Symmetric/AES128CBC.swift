internal import CTesseraOpenSSL

/// AES-128 in CBC mode with PKCS #7 padding (RFC 5652, 6.3), for secret plaintexts. It protects confidentiality, but
/// not integrity.
package struct AES128CBC: Sendable {
  package static let blockSize = 16
  private let key: SecretBytes

  /// - Parameter key: 16 bytes.
  /// - Throws: `CryptographyError.malformed` when it has another length.
  package init(key: SecretBytes) throws {
    guard key.count == 16 else { throw CryptographyError.malformed("AES-128 key of \(key.count) bytes") }
    self.key = key
  }

  /// - Parameter initialisationVector: 16 bytes, new and random for every message.
  /// - Returns: one to 16 bytes more than `plaintext`, in whole blocks.
  package func encrypt(_ plaintext: SecretBytes, initialisationVector: [UInt8]) throws -> [UInt8] {
    let ciphertext = try plaintext.withUnsafeBytes { try run($0, initialisationVector, encrypt: true) }
    // The ciphertext is public, so it may be in an ordinary array.
    return ciphertext.bytes.withUnsafeBytes { Array($0.prefix(ciphertext.count)) }
  }

  /// - Parameters:
  ///   - ciphertext: a positive whole number of blocks.
  ///   - initialisationVector: 16 bytes.
  /// - Throws: `CryptographyError.malformed` if a length or the padding is wrong.
  package func decrypt(_ ciphertext: some Collection<UInt8>, initialisationVector: [UInt8]) throws -> SecretBytes {
    let input = Array(ciphertext)
    guard !input.isEmpty, input.count.isMultiple(of: Self.blockSize) else {
      throw CryptographyError.malformed("AES-CBC input is not a whole number of blocks")
    }
    let padded = try input.withUnsafeBytes { try run($0, initialisationVector, encrypt: false) }
    return padded.bytes.withUnsafeBytes { bytes in
      let plaintext = UnsafeRawBufferPointer(rebasing: bytes.prefix(padded.count))
      return SecretBytes(count: plaintext.count) { $0.copyMemory(from: plaintext) }
    }
  }

  /// - Returns: the output at the start of a buffer that is wiped.
  private func run(
    _ input: UnsafeRawBufferPointer, _ vector: [UInt8], encrypt: Bool
  ) throws -> (bytes: SecretBytes, count: Int) {
    guard vector.count == Self.blockSize else {
      throw CryptographyError.malformed("AES-CBC initialisation vector of \(vector.count) bytes")
    }
    guard let length = Int32(exactly: input.count), length <= .max - 16 else {
      throw CryptographyError.malformed("AES-CBC input of \(input.count) bytes")
    }
    guard let context = EVP_CIPHER_CTX_new() else { throw CryptographyError.last("EVP_CIPHER_CTX_new") }
    // Frees the key schedule zeroed.
    defer { EVP_CIPHER_CTX_free(context) }
    let initialised = key.withUnsafeBytes { key in
      EVP_CipherInit_ex(
        context, EVP_aes_128_cbc(), nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), vector,
        encrypt ? 1 : 0)
    }
    guard initialised == 1 else { throw CryptographyError.last("EVP_CipherInit_ex") }
    var total = 0
    let bytes = try SecretBytes(count: input.count + Self.blockSize) { output in
      guard let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      var count: Int32 = 0
      if let input = input.baseAddress?.assumingMemoryBound(to: UInt8.self), length > 0 {
        guard EVP_CipherUpdate(context, start, &count, input, length) == 1 else {
          throw CryptographyError.last("EVP_CipherUpdate")
        }
      }
      total = Int(count)
      guard EVP_CipherFinal_ex(context, start + total, &count) == 1 else {
        let error = CryptographyError.last("EVP_CipherFinal_ex")
        throw encrypt ? error : CryptographyError.malformed("the padding of an AES-CBC plaintext")
      }
      total += Int(count)
    }
    return (bytes, total)
  }
}
