internal import CTesseraOpenSSL
import SwiftASN1

/// An owned `EVP_PKEY *` with a public key.
///
/// `@unchecked Sendable`: OpenSSL's key object is only read after the initialiser, and reading it from several threads
/// is allowed (openssl-threads(7)).
final class OpenSSLPublicKey: @unchecked Sendable {
  let pointer: OpaquePointer

  /// - Throws: `CryptographyError` if OpenSSL cannot decode the key.
  init(subjectPublicKeyInfo info: [UInt8]) throws {
    do {
      pointer = try Self.fromNumbers(info)
      return
    } catch let error as UnknownCurve {
      throw CryptographyError.unsupported(error.description)
    } catch {
      ERR_clear_error()
    }
    pointer = try Self.decoded(info)
    guard !Self.hasExplicitParameters(pointer) else {
      throw CryptographyError.unsupported(UnknownCurve(bits: Int(EVP_PKEY_get_bits(pointer))).description)
    }
  }

  deinit { EVP_PKEY_free(pointer) }

  // MARK: - Other keys

  /// Decodes a key of any type that OpenSSL knows.
  private static func decoded(_ info: [UInt8]) throws -> OpaquePointer {
    try info.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      guard let key = d2i_PUBKEY(nil, &cursor, buffer.count) else {
        throw CryptographyError.last("decoding a public key")
      }
      guard let start = buffer.baseAddress, let cursor, cursor == start + buffer.count else {
        EVP_PKEY_free(key)
        throw CryptographyError.malformed("SubjectPublicKeyInfo with bytes after its end")
      }
      return key
    }
  }

  /// Whether the key is on an elliptic curve whose parameters the encoding writes out. `KnownCurves` says why only known
  /// ones are accepted; those that it can decode do not reach OpenSSL's decoder.
  private static func hasExplicitParameters(_ key: OpaquePointer) -> Bool {
    guard EVP_PKEY_is_a(key, "EC") == 1 else { return false }
    var isExplicit: Int32 = 0
    guard EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &isExplicit) == 1 else {
      ERR_clear_error()
      return true
    }
    return isExplicit != 0
  }

  // MARK: - Common keys

  private enum Arc {
    static let rsa = "1.2.840.113549.1.1.1"
    static let ellipticCurve = "1.2.840.10045.2.1"
  }

  /// Builds RSA keys and elliptic-curve keys from their numbers. OpenSSL's decoder tries all its formats and takes ten
  /// times as long, which is longer than a signature check.
  ///
  /// - Throws: for every key that the decoder must handle.
  private static func fromNumbers(_ info: [UInt8]) throws -> OpaquePointer {
    let parts = try ASN1Node.parse(info, "SubjectPublicKeyInfo").children("SubjectPublicKeyInfo")
    guard parts.count == 2, case .primitive(let bits) = parts[1].content, bits.first == 0 else {
      throw CryptographyError.malformed("SubjectPublicKeyInfo")
    }
    let identifier = try AlgorithmIdentifier(parts[0])
    switch identifier.algorithm {
    case Arc.rsa:
      let numbers = try ASN1Node.parse(bits.dropFirst(), "RSA key").children("RSA key")
      guard numbers.count == 2 else { throw CryptographyError.malformed("RSA key") }
      return try rsa(
        modulus: numbers[0].unsignedInteger("modulus"), exponent: numbers[1].unsignedInteger("public exponent"))
    case Arc.ellipticCurve:
      guard let parameters = identifier.parameters else { throw CryptographyError.malformed("curve") }
      let curve =
        parameters.identifier == .sequence
        ? try KnownCurves.identifier(ofExplicit: parameters) : OBJ_txt2nid(try parameters.objectIdentifier("curve"))
      return try point(Array(bits.dropFirst()), onCurve: OBJ_nid2sn(curve))
    default: throw CryptographyError.unsupported("key of type \(identifier.algorithm)")
    }
  }

  /// - Parameters:
  ///   - modulus, exponent: big-endian.
  private static func rsa(modulus: [UInt8], exponent: [UInt8]) throws -> OpaquePointer {
    // OSSL_PARAM numbers are in native order, which is little-endian on everything that runs Swift on Linux.
    var modulus = Array(modulus.reversed())
    var exponent = Array(exponent.reversed())
    return try modulus.withUnsafeMutableBufferPointer { modulus in
      try exponent.withUnsafeMutableBufferPointer { exponent in
        var parameters = [
          OSSL_PARAM_construct_BN(tessera_param_rsa_n, modulus.baseAddress, modulus.count),
          OSSL_PARAM_construct_BN(tessera_param_rsa_e, exponent.baseAddress, exponent.count),
          OSSL_PARAM_construct_end(),
        ]
        return try key("RSA", &parameters)
      }
    }
  }

  private static func point(_ point: [UInt8], onCurve name: UnsafePointer<CChar>?) throws -> OpaquePointer {
    var point = point
    return try point.withUnsafeMutableBytes { point in
      // OpenSSL's parameter type lacks its `const`; the name is only read.
      var parameters = [
        OSSL_PARAM_construct_utf8_string(tessera_param_group_name, UnsafeMutablePointer(mutating: name), 0),
        OSSL_PARAM_construct_octet_string(tessera_param_public_key, point.baseAddress, point.count),
        OSSL_PARAM_construct_end(),
      ]
      return try key("EC", &parameters)
    }
  }

  private static func key(_ type: String, _ parameters: inout [OSSL_PARAM]) throws -> OpaquePointer {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else {
      throw CryptographyError.last("EVP_PKEY_CTX_new_from_name")
    }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_fromdata_init(context) == 1,
      EVP_PKEY_fromdata(context, &key, tessera_evp_pkey_public_key, &parameters) == 1, let key
    else { throw CryptographyError.last("EVP_PKEY_fromdata") }
    return key
  }
}
