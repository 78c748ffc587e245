internal import CTesseraOpenSSL

/// The key derivation function of Doc 9303-11, 9.7.1: `KDF(K, c) = H(K || c)` with a 32-bit big-endian counter.
public enum KeyDerivation {
  /// The purpose of the derived key (the counter `c`).
  package enum Purpose: UInt32, Sendable {
    case encryption = 1
    case authentication = 2
    /// The key that encrypts the PACE nonce, `K_pi`.
    case password = 3
  }

  /// The cipher that uses the derived key. It determines the hash function and the key length.
  public enum Cipher: Sendable, CaseIterable {
    /// Two-key 3DES: 16 bytes of SHA-1, every byte with odd parity.
    case tripleDES
    /// 16 bytes of SHA-1.
    case aes128
    /// 24 bytes of SHA-256.
    case aes192
    /// 32 bytes of SHA-256.
    case aes256

    /// Key length in bytes.
    package var keyLength: Int {
      switch self {
      case .tripleDES, .aes128: 16
      case .aes192: 24
      case .aes256: 32
      }
    }

    var hash: HashAlgorithm {
      switch self {
      case .tripleDES, .aes128: .sha1
      case .aes192, .aes256: .sha256
      }
    }
  }

  /// Derives one key from a shared secret of any length.
  package static func derive(_ secret: SecretBytes, _ purpose: Purpose, for cipher: Cipher) throws -> SecretBytes {
    let input = SecretBytes(count: secret.count + 4) { buffer in
      secret.withUnsafeBytes { buffer.copyMemory(from: $0) }
      buffer[secret.count + 3] = UInt8(purpose.rawValue)
    }
    let digest = try cipher.hash.secretDigest(of: input)
    return digest.withUnsafeBytes { bytes in
      SecretBytes(count: cipher.keyLength) { key in
        key.copyBytes(from: bytes.prefix(cipher.keyLength))
        if case .tripleDES = cipher { adjustParity(key) }
      }
    }
  }

  /// DES keys carry odd parity in the lowest bit of every byte.
  private static func adjustParity(_ key: UnsafeMutableRawBufferPointer) {
    for index in key.indices {
      let upper = key[index] & 0xFE
      key[index] = upper | (upper.nonzeroBitCount.isMultiple(of: 2) ? 1 : 0)
    }
  }
}

/// HKDF (RFC 5869), extract and expand in one step.
package enum HKDF {
  /// - Parameters:
  ///   - secret: the input keying material, at least one byte.
  ///   - salt: may be empty; RFC 5869 then uses as many zero bytes as the digest has.
  ///   - count: the number of bytes to derive, at most 255 times the length of the digest.
  /// - Throws: `CryptographyError.openSSL` when OpenSSL refuses one of the lengths.
  package static func derive(
    _ secret: SecretBytes, salt: [UInt8] = [], info: [UInt8] = [], hash: HashAlgorithm = .sha256, count: Int
  ) throws -> SecretBytes {
    guard let function = EVP_KDF_fetch(nil, "HKDF", nil) else { throw CryptographyError.last("EVP_KDF_fetch") }
    defer { EVP_KDF_free(function) }
    guard let context = EVP_KDF_CTX_new(function) else { throw CryptographyError.last("EVP_KDF_CTX_new") }
    defer { EVP_KDF_CTX_free(context) }
    // OpenSSL's parameter type lacks its `const`; all of these are only read.
    var salt = salt
    var info = info
    let name = Array(hash.rawValue.replacing("-", with: "").utf8CString)
    return try SecretBytes(count: count) { output in
      let derived = name.withUnsafeBufferPointer { name in
        secret.withUnsafeBytes { secret in
          salt.withUnsafeMutableBytes { salt in
            info.withUnsafeMutableBytes { info in
              var parameters = [
                OSSL_PARAM_construct_utf8_string(
                  tessera_param_digest, UnsafeMutablePointer(mutating: name.baseAddress), 0),
                OSSL_PARAM_construct_octet_string(
                  tessera_param_key, UnsafeMutableRawPointer(mutating: secret.baseAddress), secret.count),
              ]
              if !salt.isEmpty {
                parameters.append(
                  OSSL_PARAM_construct_octet_string(tessera_param_salt, salt.baseAddress, salt.count))
              }
              if !info.isEmpty {
                parameters.append(
                  OSSL_PARAM_construct_octet_string(tessera_param_info, info.baseAddress, info.count))
              }
              parameters.append(OSSL_PARAM_construct_end())
              return EVP_KDF_derive(
                context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), count, parameters)
            }
          }
        }
      }
      guard derived == 1 else { throw CryptographyError.last("EVP_KDF_derive") }
    }
  }
}

/// HMAC (RFC 2104).
package enum HMAC {
  /// - Parameter key: any length; RFC 2104 recommends the length of the digest.
  /// - Returns: as many bytes as the digest has.
  package static func code(
    of bytes: [UInt8], key: SecretBytes, hash: HashAlgorithm = .sha256
  ) throws -> [UInt8] {
    guard let keyLength = Int32(exactly: key.count) else {
      throw CryptographyError.malformed("HMAC key of \(key.count) bytes")
    }
    var code = [UInt8](repeating: 0, count: hash.digestLength)
    let made = key.withUnsafeBytes { key in
      CTesseraOpenSSL.HMAC(hash.evp, key.baseAddress, keyLength, bytes, bytes.count, &code, nil) != nil
    }
    guard made else { throw CryptographyError.last("HMAC") }
    return code
  }
}
