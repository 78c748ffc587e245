internal import CTesseraOpenSSL

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
