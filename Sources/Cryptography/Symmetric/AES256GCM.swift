internal import COpenSSL

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), for plaintexts that are secrets: it hides them, and tells when they
/// or the data that go with them were changed.
public struct AES256GCM: Sendable {
  /// In bytes.
  public static let keyLength = 32
  /// In bytes: 96 bits, the length that needs no hashing (SP 800-38D, 8.2).
  public static let nonceLength = 12
  /// In bytes: the full 128 bits.
  public static let tagLength = 16
  private let key: SecretBytes

  /// - Parameter key: 32 bytes. With random nonces it is good for 2³² messages (SP 800-38D, 8.3).
  /// - Throws: `CryptographyError.malformed` when it has another length.
  public init(key: SecretBytes) throws {
    guard key.count == Self.keyLength else { throw CryptographyError.malformed("AES-256 key of \(key.count) bytes") }
    self.key = key
  }

  /// - Parameters:
  ///   - nonce: 12 bytes that no other message under this key has.
  ///   - data: is not hidden and not part of the result, and has to be the same again when it is opened.
  /// - Returns: the ciphertext, as long as the plaintext, then the tag of 16 bytes.
  public func seal(_ plaintext: SecretBytes, nonce: [UInt8], authenticating data: [UInt8]) throws -> [UInt8] {
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

  /// - Parameter sealed: what `seal` returned.
  /// - Throws: `CryptographyError.notAuthentic` where anything of it, of the nonce or of the data was changed.
  public func open(_ sealed: UnsafeRawBufferPointer, nonce: [UInt8], authenticating data: [UInt8]) throws -> SecretBytes
  {
    guard sealed.count >= Self.tagLength else { throw CryptographyError.notAuthentic }
    let ciphertext = UnsafeRawBufferPointer(rebasing: sealed.dropLast(Self.tagLength))
    var tag = Array(sealed.suffix(Self.tagLength))
    let context = try begin(nonce, data, ciphertext.count, sealing: false)
    defer { EVP_CIPHER_CTX_free(context) }
    guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1 else {
      throw CryptographyError.last("EVP_CTRL_AEAD_SET_TAG")
    }
    // What is decrypted before the tag is known to be right leaves this function only with it, and else is wiped.
    return try SecretBytes(count: ciphertext.count) { try Self.run(context, ciphertext, into: $0) }
  }

  /// The same for bytes in an array.
  public func open(_ sealed: [UInt8], nonce: [UInt8], authenticating data: [UInt8]) throws -> SecretBytes {
    try sealed.withUnsafeBytes { try open($0, nonce: nonce, authenticating: data) }
  }

  /// What a message begins with, without reading the rest of it. This does not tell whether anything was changed: the
  /// caller has to know by other means that the beginning is what it should be.
  ///
  /// - Parameter beginning: of the ciphertext.
  public func beginning(_ beginning: UnsafeRawBufferPointer, nonce: [UInt8]) throws -> SecretBytes {
    let context = try begin(nonce, [], beginning.count, sealing: false)
    defer { EVP_CIPHER_CTX_free(context) }
    return try SecretBytes(count: beginning.count) { try Self.update(context, beginning, into: $0) }
  }

  /// A context that has taken in everything but the message. It is the caller's to free, which wipes the key schedule.
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
    // A counter mode has nothing left to give; what counts is whether the tag is right.
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
