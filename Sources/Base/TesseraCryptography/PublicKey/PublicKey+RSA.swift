internal import CTesseraOpenSSL
import SwiftASN1

/// The forms of RSA signatures that OpenSSL refuses, although the number was computed with the private key.
extension PublicKey {
  /// Whether an RSA signature opens to the digest of a message (RFC 8017, 8.2.2), also if the digest's algorithm stands
  /// in it without its NULL (RFC 5754, 2: to be accepted everywhere), as in the master list UN_r231 of the United
  /// Nations, or if the signature has another length than the modulus.
  func opens(_ signature: [UInt8], to message: [UInt8], _ hash: HashAlgorithm) throws -> Bool {
    guard let bits = modulusBits, let opened = try? recover(signature).message else { return false }
    let digest = try hash.digest(of: message)
    return try [true, false].contains { hasNull in
      let info = try Self.digestInfo(digest, hash, hasNull: hasNull)
      // EMSA-PKCS1-v1_5 (RFC 8017, 9.2): every octet is compared.
      let padding = (bits + 7) / 8 - info.count - 3
      return padding >= 8 && opened == [0, 1] + [UInt8](repeating: 0xFF, count: padding) + [0] + info
    }
  }

  private static func digestInfo(_ digest: [UInt8], _ hash: HashAlgorithm, hasNull: Bool) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.appendConstructedNode(identifier: .sequence) { info in
      try info.appendConstructedNode(identifier: .sequence) { algorithm in
        try algorithm.serialize(ASN1ObjectIdentifier(dotRepresentation: hash.objectIdentifier[...]))
        if hasNull { try algorithm.serialize(ASN1Null()) }
      }
      try info.serialize(ASN1OctetString(contentBytes: digest[...]))
    }
    return serializer.serializedBytes
  }

  /// The same key for any salt. `id-RSASSA-PSS` may state a least salt (RFC 4055, 1.2), and with such a key OpenSSL does
  /// not find out how long a salt is.
  func withoutParameters() throws -> PublicKey {
    guard withKey({ EVP_PKEY_get_base_id($0) }) == EVP_PKEY_RSA_PSS else { return self }
    var parts = try DERValue(subjectPublicKeyInfo[...], "SubjectPublicKeyInfo").elements
    _ = try parts.next("SubjectPublicKeyInfo")
    let numbers = try parts.next("SubjectPublicKeyInfo").wholeOctets("SubjectPublicKeyInfo")
    var serializer = DER.Serializer()
    try serializer.appendConstructedNode(identifier: .sequence) { info in
      try info.appendConstructedNode(identifier: .sequence) { algorithm in
        try algorithm.serialize(ASN1ObjectIdentifier(dotRepresentation: "1.2.840.113549.1.1.1"))
        try algorithm.serialize(ASN1Null())
      }
      try info.serialize(ASN1BitString(bytes: numbers))
    }
    return try PublicKey(subjectPublicKeyInfo: serializer.serializedBytes)
  }

  /// The same number in as many octets as the modulus has, where that is possible. Programs that keep a signature as a
  /// number drop its leading zeros, or put one before a highest bit.
  func withModulusLength(_ signature: [UInt8]) -> [UInt8] {
    let length = withKey { Int(EVP_PKEY_get_size($0)) }
    let digits = signature.drop { $0 == 0 }
    guard signature.count != length, digits.count <= length, length <= 2048 else { return signature }
    return [UInt8](repeating: 0, count: length - digits.count) + digits
  }
}
