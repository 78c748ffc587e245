internal import CTesseraOpenSSL

/// A block cipher in CBC mode without padding. The key schedule is computed once, for protocols that send many short
/// messages under one key.
@usableFromInline
final class CBCCipher {
  let blockSize: Int
  private let name: String
  private let encryption: OpaquePointer
  private let decryption: OpaquePointer

  /// - Parameters:
  ///   - cipher: the OpenSSL cipher for the length of the key.
  ///   - name: used in error messages.
  init(_ cipher: OpaquePointer?, key: SecretBytes, blockSize: Int, name: String) throws {
    self.blockSize = blockSize
    self.name = name
    let encryption = try Self.context(cipher, key, encrypt: true)
    self.encryption = encryption
    do {
      decryption = try Self.context(cipher, key, encrypt: false)
    } catch {
      EVP_CIPHER_CTX_free(encryption)
      throw error
    }
  }

  deinit {
    EVP_CIPHER_CTX_free(encryption)
    EVP_CIPHER_CTX_free(decryption)
  }

  private static func context(_ cipher: OpaquePointer?, _ key: SecretBytes, encrypt: Bool) throws -> OpaquePointer {
    guard let context = EVP_CIPHER_CTX_new() else { throw CryptographyError.last("EVP_CIPHER_CTX_new") }
    let initialised = key.withUnsafeBytes { bytes in
      EVP_CipherInit_ex(
        context, cipher, nil, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, encrypt ? 1 : 0) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
    }
    guard initialised else {
      EVP_CIPHER_CTX_free(context)
      throw CryptographyError.last("EVP_CipherInit_ex")
    }
    return context
  }

  /// - Parameters:
  ///   - blocks: a whole number of blocks.
  ///   - vector: the initialisation vector, one block.
  @usableFromInline
  func encrypt(_ blocks: UnsafeRawBufferPointer, _ vector: [UInt8]) throws -> [UInt8] {
    try run(encryption, blocks, vector)
  }

  @usableFromInline
  func decrypt(_ blocks: UnsafeRawBufferPointer, _ vector: [UInt8]) throws -> [UInt8] {
    try run(decryption, blocks, vector)
  }

  /// Encrypts in place.
  func encrypt(_ blocks: inout [UInt8], _ vector: [UInt8]) throws {
    try blocks.withUnsafeMutableBytes { try run(encryption, UnsafeRawBufferPointer($0), vector, into: $0) }
  }

  /// Decrypts key material without leaving a copy of it.
  func decryptSecret(_ blocks: some Collection<UInt8>, _ vector: [UInt8]) throws -> SecretBytes {
    try blocks.withBytes { input in
      try SecretBytes(count: input.count) { try run(decryption, input, vector, into: $0) }
    }
  }

  /// Encrypts a secret; the result is a secret as well.
  func encryptSecret(_ blocks: SecretBytes, _ vector: [UInt8]) throws -> SecretBytes {
    try SecretBytes(count: blocks.count) { output in
      try blocks.withUnsafeBytes { try run(encryption, $0, vector, into: output) }
    }
  }

  private func run(_ context: OpaquePointer, _ blocks: UnsafeRawBufferPointer, _ vector: [UInt8]) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: blocks.count) { output, count in
      try run(context, blocks, vector, into: UnsafeMutableRawBufferPointer(output))
      count = blocks.count
    }
  }

  private func run(
    _ context: OpaquePointer, _ input: UnsafeRawBufferPointer, _ vector: [UInt8],
    into output: UnsafeMutableRawBufferPointer
  ) throws {
    guard input.count.isMultiple(of: blockSize), output.count >= input.count,
      let inputLength = Int32(exactly: input.count)
    else { throw CryptographyError.malformed("\(name) input is not a whole number of blocks") }
    guard vector.count == blockSize else {
      throw CryptographyError.malformed("\(name) initialisation vector of \(vector.count) bytes")
    }
    var length: Int32 = 0
    guard EVP_CipherInit_ex(context, nil, nil, nil, vector, -1) == 1,
      EVP_CipherUpdate(
        context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &length,
        input.baseAddress?.assumingMemoryBound(to: UInt8.self), inputLength) == 1,
      length == inputLength
    else { throw CryptographyError.last("EVP_CipherUpdate") }
  }
}
