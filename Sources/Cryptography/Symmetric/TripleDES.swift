internal import COpenSSL

/// Two-key 3DES in CBC mode with a zero initialisation vector and no padding, as secure messaging and Basic
/// Access Control use it (Doc 9303-11, 9.8.6.1). The key schedule is made once.
public final class TripleDES {
  public static let blockSize = 8
  private let encryption: OpaquePointer
  private let decryption: OpaquePointer

  /// - Parameter key: 16 bytes.
  /// - Throws: `CryptographyError` when the key has another length or OpenSSL was built without DES.
  public init(key: SecretBytes) throws {
    guard key.count == 16 else { throw CryptographyError.malformed("3DES key of \(key.count) bytes") }
    let encryption = try Self.context(key, encrypt: true)
    self.encryption = encryption
    do {
      decryption = try Self.context(key, encrypt: false)
    } catch {
      EVP_CIPHER_CTX_free(encryption)
      throw error
    }
  }

  deinit {
    EVP_CIPHER_CTX_free(encryption)
    EVP_CIPHER_CTX_free(decryption)
  }

  private static func context(_ key: SecretBytes, encrypt: Bool) throws -> OpaquePointer {
    guard let context = EVP_CIPHER_CTX_new() else { throw CryptographyError.last("EVP_CIPHER_CTX_new") }
    let initialised = key.withUnsafeBytes { bytes in
      EVP_CipherInit_ex(
        context, EVP_des_ede_cbc(), nil, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), nil,
        encrypt ? 1 : 0) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
    }
    guard initialised else {
      EVP_CIPHER_CTX_free(context)
      throw CryptographyError.last("EVP_CipherInit_ex")
    }
    return context
  }

  /// - Parameter blocks: a multiple of 8 bytes.
  public func encrypt(_ blocks: some Collection<UInt8>) throws -> [UInt8] { try run(encryption, blocks) }

  /// - Parameter blocks: a multiple of 8 bytes.
  public func decrypt(_ blocks: some Collection<UInt8>) throws -> [UInt8] { try run(decryption, blocks) }

  /// The same for a plaintext that is key material: no copy of it is left behind.
  public func decryptSecret(_ blocks: some Collection<UInt8>) throws -> SecretBytes {
    let input = Array(blocks)
    return try SecretBytes(count: input.count) { output in
      try input.withUnsafeBytes { try run(decryption, $0, into: output) }
    }
  }

  private func run(_ context: OpaquePointer, _ blocks: some Collection<UInt8>) throws -> [UInt8] {
    let direct = try blocks.withContiguousStorageIfAvailable { input in
      try [UInt8](unsafeUninitializedCapacity: input.count) { output, count in
        try run(context, UnsafeRawBufferPointer(input), into: UnsafeMutableRawBufferPointer(output))
        count = input.count
      }
    }
    return try direct ?? run(context, Array(blocks))
  }

  private func run(
    _ context: OpaquePointer, _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws {
    guard input.count.isMultiple(of: Self.blockSize), output.count >= input.count else {
      throw CryptographyError.malformed("3DES input is not a whole number of blocks")
    }
    let zeroVector: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    var length: Int32 = 0
    guard EVP_CipherInit_ex(context, nil, nil, nil, zeroVector, -1) == 1,
      EVP_CipherUpdate(
        context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &length,
        input.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(input.count)) == 1,
      length == Int32(input.count)
    else { throw CryptographyError.last("EVP_CipherUpdate") }
  }
}
