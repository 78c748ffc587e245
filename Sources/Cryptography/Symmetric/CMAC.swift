internal import COpenSSL

/// AES-CMAC (NIST SP 800-38B). Doc 9303 uses the first eight bytes of it.
public final class CMAC {
  /// Length of the whole MAC in bytes.
  public static let length = 16
  private let context: OpaquePointer
  private let key: SecretBytes

  /// - Parameter key: 16, 24 or 32 bytes.
  /// - Throws: `CryptographyError.malformed` when it has another length.
  public init(key: SecretBytes) throws {
    guard [16, 24, 32].contains(key.count) else {
      throw CryptographyError.malformed("AES-CMAC key of \(key.count) bytes")
    }
    self.key = key
    guard let algorithm = EVP_MAC_fetch(nil, "CMAC", nil) else { throw CryptographyError.last("EVP_MAC_fetch") }
    defer { EVP_MAC_free(algorithm) }
    guard let context = EVP_MAC_CTX_new(algorithm) else { throw CryptographyError.last("EVP_MAC_CTX_new") }
    self.context = context
    var cipher = Array("AES-\(key.count * 8)-CBC".utf8CString)
    let isReady = cipher.withUnsafeMutableBufferPointer { cipher in
      var parameters = [
        OSSL_PARAM_construct_utf8_string(tessera_mac_param_cipher, cipher.baseAddress, 0), OSSL_PARAM_construct_end(),
      ]
      return EVP_MAC_CTX_set_params(context, &parameters) == 1
    }
    // `deinit` frees the context: all properties are set.
    guard isReady else { throw CryptographyError.last("EVP_MAC_CTX_set_params") }
  }

  deinit { EVP_MAC_CTX_free(context) }

  /// The 16 bytes of MAC over `message`, which is not padded here.
  public func mac(_ message: some Collection<UInt8>) throws -> [UInt8] {
    let direct = try message.withContiguousStorageIfAvailable { try mac(UnsafeRawBufferPointer($0)) }
    return try direct ?? Array(message).withUnsafeBytes { try mac($0) }
  }

  private func mac(_ message: UnsafeRawBufferPointer) throws -> [UInt8] {
    // The key is given again for every message, since older versions of OpenSSL 3 do not restart without it.
    let started = key.withUnsafeBytes {
      EVP_MAC_init(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count, nil) == 1
    }
    var output = [UInt8](repeating: 0, count: Self.length)
    var length = 0
    guard started,
      message.isEmpty
        || EVP_MAC_update(context, message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count) == 1,
      EVP_MAC_final(context, &output, &length, output.count) == 1, length == Self.length
    else { throw CryptographyError.last("EVP_MAC") }
    return output
  }
}
