import SwiftASN1

/// The standardised domain parameters of Doc 9303-11, 9.5.1 (BSI TR-03110-3, A.2.1.1), by their numbers.
package enum StandardizedDomainParameters {
  /// The assigned numbers; the others are reserved.
  package static let identifiers: [Int] = [0, 1, 2] + Array(8...18)

  /// - Throws: `CryptographyError.unsupported` for a reserved number.
  package static func group(_ identifier: Int) throws -> any KeyAgreementGroup {
    let curves: [EllipticCurve.Name] = [
      .secp192r1, .brainpoolP192r1, .secp224r1, .brainpoolP224r1, .secp256r1, .brainpoolP256r1, .brainpoolP320r1,
      .secp384r1, .brainpoolP384r1, .brainpoolP512r1, .secp521r1,
    ]
    switch identifier {
    case 0...2: return try ModularGroup(ModularGroup.Name.allCases[identifier])
    case 8...18: return try EllipticCurve(curves[identifier - 8])
    default: throw CryptographyError.unsupported("standardised domain parameters \(identifier)")
    }
  }
}

/// Algorithm identifiers that describe a group.
extension AlgorithmIdentifier {
  private enum Arc {
    static let ellipticCurve = "1.2.840.10045.2.1"
    static let pkcs3 = "1.2.840.113549.1.3.1"
    static let x942 = "1.2.840.10046.2.1"
    static let standardized = "0.4.0.127.0.7.1.2"
  }

  /// The group of a key or of domain parameters (BSI TR-03110-3, A.2.1): by number, by the name of a curve, or by
  /// explicit parameters.
  ///
  /// - Throws: `CryptographyError`.
  package func keyAgreementGroup() throws -> any KeyAgreementGroup {
    guard let parameters else { throw CryptographyError.malformed("domain parameters are missing") }
    switch algorithm {
    case Arc.standardized:
      return try StandardizedDomainParameters.group(parameters.integer("number of domain parameters"))
    case Arc.ellipticCurve: return try EllipticCurve(ecParameters: Array(parameters.encodedBytes))
    case Arc.pkcs3, Arc.x942:
      let numbers = try parameters.children("Diffie-Hellman parameters")
      guard numbers.count >= 2 else { throw CryptographyError.malformed("Diffie-Hellman parameters") }
      // PKCS #3 has p, g and optionally the length of an exponent; X9.42 has p, g and q.
      let order = algorithm == Arc.x942 && numbers.count >= 3 ? try numbers[2].unsignedInteger("order") : nil
      return try ModularGroup(
        prime: numbers[0].unsignedInteger("prime"), generator: numbers[1].unsignedInteger("generator"), order: order)
    default: throw CryptographyError.unsupported("domain parameters of \(algorithm)")
    }
  }
}

/// A public key for key agreement, as `SubjectPublicKeyInfo` (RFC 5280, 4.1).
package struct KeyAgreementPublicKey: Sendable {
  package let group: any KeyAgreementGroup
  /// In the encoding of the group; validated.
  package let element: [UInt8]

  package init(group: any KeyAgreementGroup, element: [UInt8]) {
    self.group = group
    self.element = element
  }

  /// - Throws: `CryptographyError`; `GroupElementProblem` for a key that is not in its group.
  package init(subjectPublicKeyInfo node: ASN1Node) throws {
    let parts = try node.children("SubjectPublicKeyInfo")
    guard parts.count == 2 else { throw CryptographyError.malformed("SubjectPublicKeyInfo") }
    let group = try AlgorithmIdentifier(parts[0]).keyAgreementGroup()
    let bits = try parts[1].octets("public key")
    // A BIT STRING begins with the number of unused bits.
    guard bits.first == 0 else { throw CryptographyError.malformed("public key") }
    var bytes = Array(bits.dropFirst())
    // The keys of PKCS #3 and X9.42 are an INTEGER; keys with standardised parameters are the bare number.
    if group is ModularGroup, let integer = try? ASN1Node.parse(bytes, "public key"), integer.identifier == .integer {
      bytes = try integer.unsignedInteger("public key")
    }
    let element = group.normalized(bytes)
    try group.validate(element)
    self.init(group: group, element: element)
  }
}
