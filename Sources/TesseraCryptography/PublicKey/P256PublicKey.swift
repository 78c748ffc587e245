internal import CTesseraOpenSSL
import SwiftASN1

/// A public key on P-256 (secp256r1, prime256v1).
public struct P256PublicKey: Sendable, Equatable, Hashable {
  /// The uncompressed point: 0x04, x, y; 65 bytes (SEC 1, 2.3.3).
  public let point: [UInt8]

  /// The `SubjectPublicKeyInfo` up to the point: `AlgorithmIdentifier` and the header of the BIT STRING, the same for
  /// every key on this curve (RFC 5480, 2).
  package static let head: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
    0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]

  /// - Throws: `CryptographyError` for another length or form, or a point that is not on the curve.
  public init(point: some Collection<UInt8>) throws {
    let point = Array(point)
    guard point.count == 65, point[0] == 4 else {
      throw CryptographyError.malformed("the point is not an uncompressed P-256 point")
    }
    try self.init(subjectPublicKeyInfo: Self.head + point)
  }

  /// - Throws: `CryptographyError` if it is malformed, or for another kind of key or another curve.
  public init(subjectPublicKeyInfo: [UInt8]) throws {
    // OpenSSL's decoder ignores bytes after the key.
    guard (try? DER.parse(subjectPublicKeyInfo)) != nil else {
      throw CryptographyError.malformed("the public key is not DER, or bytes follow it")
    }
    let key = try PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo)
    guard case .ellipticCurve(_, "prime256v1"?, let x, let y) = key.kind else {
      throw CryptographyError.unsupported("a public key that is not on P-256")
    }
    point = try [4] + Self.coordinate(x) + Self.coordinate(y)
  }

  private static func coordinate(_ digits: String) throws -> [UInt8] {
    let padded = Array(String(repeating: "0", count: max(0, 64 - digits.count)) + digits)
    let bytes = stride(from: 0, to: padded.count - 1, by: 2).compactMap {
      UInt8(String(padded[$0...$0 + 1]), radix: 16)
    }
    guard bytes.count == 32 else { throw CryptographyError.malformed("coordinate of a point") }
    return bytes
  }

  /// DER, 91 bytes.
  public var subjectPublicKeyInfo: [UInt8] { Self.head + point }

  public var x: [UInt8] { Array(point[1..<33]) }
  public var y: [UInt8] { Array(point[33..<65]) }

  /// SHA-256 of the `SubjectPublicKeyInfo`.
  public var fingerprint: [UInt8] {
    get throws { try HashAlgorithm.sha256.digest(of: subjectPublicKeyInfo) }
  }

  /// Whether `signature` is a valid signature by this key over the message with this SHA-256 digest.
  public func verify(_ signature: P256Signature, digest: [UInt8]) throws -> Bool {
    let info = subjectPublicKeyInfo
    let key = info.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return d2i_PUBKEY(nil, &cursor, buffer.count)
    }
    guard let key else { throw CryptographyError.last("decoding a public key") }
    defer { EVP_PKEY_free(key) }
    guard let context = EVP_PKEY_CTX_new(key, nil) else { throw CryptographyError.last("EVP_PKEY_CTX_new") }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_verify_init(context) == 1 else { throw CryptographyError.last("EVP_PKEY_verify_init") }
    let der = try signature.der
    let result = EVP_PKEY_verify(context, der, der.count, digest, digest.count)
    ERR_clear_error()  // a wrong signature leaves entries behind
    return result == 1
  }
}
