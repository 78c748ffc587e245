import TesseraCryptography
import TesseraSmartCard

/// A terminal that may read the fingerprints and irises of the specimens: its certificate chain below the authority of
/// Utopia, and its private key, which is public.
public struct SpecimenTerminal: Sendable {
  /// The certificates of the document verifier and the inspection system, each a data object 7F21.
  public let certificates: [[UInt8]]
  /// PKCS #8 in DER, on P-256.
  public let privateKey: [UInt8]

  /// The reference of the authority's key in EF.CVCA.
  static let authorityName = "UTTESSERA00001"
  private static let verifierName = "UTVERIFIER00001"
  private static let terminalName = "UTTERMINAL00001"
  private static let parameters = AgreementParameters(12)

  /// - Parameters:
  ///   - rights: Bit 1 allows reading DG3, bit 2 DG4.
  ///   - expiration: The last day of the terminal's certificate, six digits.
  ///   - extensions: The data object 65 at the end of the body of both certificates (BSI TR-03110-3, C.3); may be
  ///     empty.
  public init(rights: UInt8 = 0x03, expiration: String = "351231", extensions: [UInt8] = []) throws {
    let curve = try Self.parameters.curve()
    let authority = try Self.exponent(Self.authorityName)
    let verifier = try Self.exponent(Self.verifierName)
    let terminal = try Self.exponent(Self.terminalName)
    certificates = [
      try Self.certificate(
        Self.verifierName, authorization: 0x83, key: verifier, expiration: "351231", extensions: extensions,
        by: Self.authorityName, signedWith: authority),
      try Self.certificate(
        Self.terminalName, authorization: rights & 0x3F, key: terminal, expiration: expiration,
        extensions: extensions, by: Self.verifierName, signedWith: verifier),
    ]
    let named: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    let algorithm = DERBytes.sequence(
      DERBytes.objectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]), DERBytes.objectIdentifier(named))
    let key = DERBytes.sequence(
      DERBytes.integer(1), BERTLV.encode(0x04, terminal),
      BERTLV.encode(0xA1, DERBytes.bitString(try curve.publicKey(of: terminal))))
    privateKey = DERBytes.sequence(DERBytes.integer(0), algorithm, BERTLV.encode(0x04, key))
  }

  /// The trust point of the specimens' chips.
  static func trustPoint() throws -> CardVerifiableCertificate {
    let authority = try exponent(authorityName)
    let bytes = try certificate(
      authorityName, authorization: 0xC3, key: authority, expiration: "451231", by: authorityName,
      signedWith: authority)
    return try CardVerifiableCertificate(Array(BERTLV.value(of: 0x7F21, in: bytes[...])), domain: nil)
  }

  private static func exponent(_ name: String) throws -> [UInt8] {
    try SpecimenKeys.exponent("Terminal Authentication \(name)", in: parameters.curve())
  }

  private static func certificate(
    _ holder: String, authorization: UInt8, key: [UInt8], expiration: String, extensions: [UInt8] = [],
    by authority: String, signedWith signingKey: [UInt8]
  ) throws -> [UInt8] {
    let curve = try parameters.curve()
    // Only the authority's certificate contains the domain parameters (BSI TR-03110-3, D.3.3).
    let domain = holder == authority ? try curve.cardVerifiableParameters() : []
    // id-TA-ECDSA-SHA-256
    let algorithm: [UInt8] = [0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x02, 0x02, 0x03]
    let publicKey = DERBytes.objectIdentifier(algorithm) + domain.prefixed(0x86, try curve.publicKey(of: key))
    let template =
      DERBytes.objectIdentifier(CardVerifiableCertificate.inspectionSystem) + BERTLV.encode(0x53, [authorization])
    func date(_ digits: String) -> [UInt8] { digits.utf8.map { $0 & 0x0F } }
    let body = BERTLV.encode(
      0x7F4E,
      BERTLV.encode(0x5F29, [0x00]) + BERTLV.encode(0x42, Array(authority.utf8)) + BERTLV.encode(0x7F49, publicKey)
        + BERTLV.encode(0x5F20, Array(holder.utf8)) + BERTLV.encode(0x7F4C, template)
        + BERTLV.encode(0x5F25, date("250101")) + BERTLV.encode(0x5F24, date(expiration)) + extensions)
    let (r, s) = try curve.sign(try HashAlgorithm.sha256.digest(of: body), with: signingKey)
    return BERTLV.encode(0x7F21, body + BERTLV.encode(0x5F37, r + s))
  }
}

extension [UInt8] {
  /// The data objects 81 to 85, then the point 86, then the cofactor 87.
  fileprivate func prefixed(_ tag: UInt32, _ point: [UInt8]) -> [UInt8] {
    self + BERTLV.encode(tag, point) + (isEmpty ? [] : BERTLV.encode(0x87, [0x01]))
  }
}
