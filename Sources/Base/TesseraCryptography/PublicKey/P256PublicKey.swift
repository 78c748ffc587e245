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

  /// Whether these are the parameters of P-256 in DER: its name, or all of them written out (RFC 3279, 2.3.5).
  package static func isCurve(parameters: [UInt8]) -> Bool {
    guard let node = try? DER.parse(parameters) else { return false }
    var info = DER.Serializer()
    let isWritten: Void? = try? info.appendConstructedNode(identifier: .sequence) { info in
      try info.appendConstructedNode(identifier: .sequence) { algorithm in
        try algorithm.serialize(ASN1ObjectIdentifier.AlgorithmIdentifier.idEcPublicKey)
        algorithm.serialize(node)
      }
      try info.serialize(ASN1BitString(bytes: base[...]))
    }
    return isWritten != nil && (try? P256PublicKey(subjectPublicKeyInfo: info.serializedBytes)) != nil
  }

  /// Whether these fields of a SEQUENCE are the parameters of P-256, written out.
  static func isCurve(fields: [UInt8]) -> Bool {
    guard fields.count < 0x10000 else { return false }
    return isCurve(parameters: [0x30, 0x82, UInt8(fields.count >> 8), UInt8(fields.count & 0xFF)] + fields)
      || isCurve(parameters: [0x30, 0x81, UInt8(fields.count & 0xFF)] + fields)
  }

  /// The generator of the group (SEC 2, 2.4.2).
  private static let base: [UInt8] = [
    0x04, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2, 0x77, 0x03,
    0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96, 0x4F, 0xE3, 0x42, 0xE2, 0xFE,
    0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE,
    0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
  ]

  private static func coordinate(_ digits: String) throws -> [UInt8] {
    let padded = String(repeating: "0", count: max(0, 64 - digits.utf8.count)) + digits
    guard let bytes = [UInt8](hexadecimal: padded), bytes.count == 32 else {
      throw CryptographyError.malformed("coordinate of a point")
    }
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

  /// Whether `signature` is a valid signature by this key over the SHA-256 digest of these data.
  public func verify(_ signature: P256Signature, over data: some Collection<UInt8>) throws -> Bool {
    try verify(signature, digest: HashAlgorithm.sha256.digest(of: data))
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
