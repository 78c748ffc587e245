/// The form that certificates and revocation lists have in common (X.509 `SIGNED`; RFC 5280, 4.1 and 5.1): the signed
/// fields, the algorithm and the signature, each as received.
struct SignedStructure: Sendable {
  /// The complete encoding of the signed fields.
  let signedPart: ArraySlice<UInt8>
  let signature: ArraySlice<UInt8>
  private let algorithmField: ArraySlice<UInt8>

  /// - Returns: the structure, and the values of its signed fields.
  /// - Throws: `CryptographyError.malformed` naming `what`, also if bytes follow.
  static func decode(_ der: [UInt8], _ what: String) throws -> (structure: SignedStructure, fields: DERValue.Elements) {
    let outer = try DERValue(der[...], what)
    guard outer.tag == DERValue.Tag.sequence, outer.encoded.count == der.count else {
      throw CryptographyError.malformed(what)
    }
    var parts = outer.elements
    let signed = try parts.next(DERValue.Tag.sequence, what)
    let algorithm = try parts.next(DERValue.Tag.sequence, "signature algorithm").encoded
    let signature = try parts.next("signature").wholeOctets("signature")
    guard parts.isEmpty else { throw CryptographyError.malformed(what) }
    let structure = SignedStructure(signedPart: signed.encoded, signature: signature, algorithmField: algorithm)
    return (structure, signed.elements)
  }

  /// Checks that the signed fields name the same algorithm: an attacker could exchange one that is not signed.
  func checkAlgorithm(_ field: DERValue, _ what: String) throws {
    guard try field.encoded == algorithmField || Self.parts(field) == Self.parts(DERValue(algorithmField, what)) else {
      throw CryptographyError.malformed("a \(what) that names two signature algorithms")
    }
  }

  /// The identifier and the parameters of an algorithm. NULL and no parameters mean the same (RFC 4055, 2.1), and some
  /// issuers write one of them in each place.
  private static func parts(_ algorithm: DERValue) throws -> [ArraySlice<UInt8>] {
    var fields = algorithm.elements
    let identifier = try fields.next(DERValue.Tag.objectIdentifier, "signature algorithm").encoded
    var parts = [identifier]
    while !fields.isEmpty { parts.append(try fields.next("signature algorithm").encoded) }
    return parts.count == 2 && parts[1].elementsEqual([0x05, 0x00]) ? [identifier] : parts
  }

  var algorithm: SignatureAlgorithm {
    get throws {
      SignatureAlgorithm(try AlgorithmIdentifier(.parse(algorithmField, "signature algorithm")), digest: nil)
    }
  }

  /// Whether the owner of `key` signed this.
  ///
  /// - Throws: `CryptographyError` if the algorithm is not supported, or does not match the key.
  func isSigned(by key: PublicKey) throws -> Bool { try key.verify(signature, over: signedPart, algorithm) }
}
