internal import CTesseraOpenSSL

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), for secret plaintexts: encrypts them, and authenticates them
/// together with additional data.
package struct AES256GCM: Sendable {
  /// In bytes.
  package static let keyLength = 32
  /// In bytes: 96 bits, the length that GCM uses without hashing (SP 800-38D, 8.2).
  package static let nonceLength = 12
  /// In bytes: the full 128 bits.
  package static let tagLength = 16
  private let key: SecretBytes

  /// - Parameter key: 32 bytes. With random nonces, do not seal more than 2³² messages (SP 800-38D, 8.3).
  /// - Throws: `CryptographyError.malformed` when it has another length.
  package init(key: SecretBytes) throws {
    guard key.count == Self.keyLength else { throw CryptographyError.malformed("AES-256 key of \(key.count) bytes") }
    self.key = key
  }

  /// - Parameters:
  ///   - nonce: 12 bytes, unique for every message under this key.
  ///   - data: additional data. They are not encrypted and not part of the result; `open` needs them again.
  /// - Returns: the ciphertext, as long as the plaintext, followed by the 16-byte tag.
  package func seal(_ plaintext: SecretBytes, nonce: [UInt8], authenticating data: [UInt8]) throws -> [UInt8] {
    try plaintext.withUnsafeBytes { input in
      let context = try begin(nonce, data, input.count, sealing: true)
      defer { EVP_CIPHER_CTX_free(context) }
      var sealed = [UInt8](repeating: 0, count: input.count + Self.tagLength)
      try sealed.withUnsafeMutableBytes { output in
        try Self.run(context, input, into: output)
        let tag = output.baseAddress.map { $0 + input.count }
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), tag) == 1 else {
          throw CryptographyError.last("EVP_CTRL_AEAD_GET_TAG")
        }
      }
      return sealed
    }
  }

  /// - Parameter sealed: the result of `seal`.
  /// - Throws: `CryptographyError.notAuthentic` if the ciphertext, the nonce or the additional data were modified.
  package func open(_ sealed: UnsafeRawBufferPointer, nonce: [UInt8], authenticating data: [UInt8]) throws
    -> SecretBytes
  {
    guard sealed.count >= Self.tagLength else { throw CryptographyError.notAuthentic }
    let ciphertext = UnsafeRawBufferPointer(rebasing: sealed.dropLast(Self.tagLength))
    var tag = Array(sealed.suffix(Self.tagLength))
    let context = try begin(nonce, data, ciphertext.count, sealing: false)
    defer { EVP_CIPHER_CTX_free(context) }
    guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1 else {
      throw CryptographyError.last("EVP_CTRL_AEAD_SET_TAG")
    }
    // The plaintext leaves this function only if the tag is right; otherwise it is wiped.
    return try SecretBytes(count: ciphertext.count) { try Self.run(context, ciphertext, into: $0) }
  }

  /// Opens a message in an array.
  package func open(_ sealed: [UInt8], nonce: [UInt8], authenticating data: [UInt8]) throws -> SecretBytes {
    try sealed.withUnsafeBytes { try open($0, nonce: nonce, authenticating: data) }
  }

  /// Decrypts the first bytes of a message without reading the rest. Does not check the tag: the caller must ensure in
  /// another way that these bytes are authentic.
  ///
  /// - Parameter beginning: the first bytes of the ciphertext.
  package func beginning(_ beginning: UnsafeRawBufferPointer, nonce: [UInt8]) throws -> SecretBytes {
    let context = try begin(nonce, [], beginning.count, sealing: false)
    defer { EVP_CIPHER_CTX_free(context) }
    return try SecretBytes(count: beginning.count) { try Self.update(context, beginning, into: $0) }
  }

  /// A context with key, nonce and additional data set. The caller frees it, which wipes the key schedule.
  private func begin(_ nonce: [UInt8], _ data: [UInt8], _ count: Int, sealing: Bool) throws -> OpaquePointer {
    guard nonce.count == Self.nonceLength else {
      throw CryptographyError.malformed("AES-GCM nonce of \(nonce.count) bytes")
    }
    guard Int32(exactly: count) != nil, let dataLength = Int32(exactly: data.count) else {
      throw CryptographyError.malformed("AES-GCM input of \(count) bytes")
    }
    guard let context = EVP_CIPHER_CTX_new() else { throw CryptographyError.last("EVP_CIPHER_CTX_new") }
    let isReady = key.withUnsafeBytes { key in
      // The length of the nonce is the default one.
      EVP_CipherInit_ex(
        context, EVP_aes_256_gcm(), nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce,
        sealing ? 1 : 0) == 1
    }
    var taken: Int32 = 0
    guard isReady, data.isEmpty || EVP_CipherUpdate(context, nil, &taken, data, dataLength) == 1 else {
      EVP_CIPHER_CTX_free(context)
      throw CryptographyError.last("EVP_CipherInit_ex")
    }
    return context
  }

  /// - Parameter output: at least as long as `input`.
  private static func run(
    _ context: OpaquePointer, _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws {
    try update(context, input, into: output)
    var count: Int32 = 0
    // A counter mode has no output left; this call checks the tag.
    var nothing: [UInt8] = [UInt8](repeating: 0, count: 16)
    guard EVP_CipherFinal_ex(context, &nothing, &count) == 1 else {
      ERR_clear_error()
      throw CryptographyError.notAuthentic
    }
  }

  /// - Parameter output: at least as long as `input`.
  private static func update(
    _ context: OpaquePointer, _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws {
    guard let from = input.baseAddress, let to = output.baseAddress, !input.isEmpty else { return }
    var count: Int32 = 0
    let (bytes, place) = (from.assumingMemoryBound(to: UInt8.self), to.assumingMemoryBound(to: UInt8.self))
    guard EVP_CipherUpdate(context, place, &count, bytes, Int32(input.count)) == 1 else {
      throw CryptographyError.last("EVP_CipherUpdate")
    }
  }
}
