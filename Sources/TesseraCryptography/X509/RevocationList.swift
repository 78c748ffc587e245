#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An X.509 certificate revocation list (RFC 5280, 5; Doc 9303-12, 7.1.4).
public struct RevocationList: Sendable, Equatable {
  public let der: [UInt8]
  /// When the list was issued.
  public let thisUpdate: Date
  /// When the next list is due at the latest; nil if the list does not say.
  public let nextUpdate: Date?
  package let issuerName: DistinguishedName
  private let structure: SignedStructure
  private let revoked: ArraySlice<UInt8>
  private let extensions: CertificateExtensions

  /// - Throws: `CryptographyError.malformed` if this is not a revocation list; `.unsupported` for a delta list, or one
  ///   that covers only a part of the certificates.
  public init(der: [UInt8]) throws {
    self.der = der
    var fields: DERValue.Elements
    (structure, fields) = try SignedStructure.decode(der, "revocation list")
    _ = try fields.nextIf(DERValue.Tag.integer, "version")
    try structure.checkAlgorithm(try fields.next("signature algorithm"), "revocation list")
    issuerName = DistinguishedName(try fields.next(DERValue.Tag.sequence, "issuer"))
    thisUpdate = try DERTime.date(try fields.next("thisUpdate"))
    let isTime = fields.nextTag == DERValue.Tag.utcTime || fields.nextTag == DERValue.Tag.generalizedTime
    nextUpdate = isTime ? try DERTime.date(try fields.next("nextUpdate")) : nil
    revoked = try fields.nextIf(DERValue.Tag.sequence, "revokedCertificates")?.content ?? []
    extensions = try CertificateExtensions(fields.nextIf(DERValue.Tag.context(0), "crlExtensions"))
    guard extensions.critical.isEmpty else {
      throw CryptographyError.unsupported("a revocation list with the critical extension \(extensions.critical[0])")
    }
  }

  public static func == (left: RevocationList, right: RevocationList) -> Bool { left.der == right.der }

  /// SHA-256 of the encoding.
  package var fingerprint: [UInt8] { (try? HashAlgorithm.sha256.digest(of: der)) ?? [] }

  /// RFC 2253 text.
  public var issuer: String { issuerName.description }
  /// The country of the issuer: two upper-case letters as a rule; nil if there is none.
  public var country: String? { issuerName.country }

  package var authorityKeyIdentifier: ArraySlice<UInt8>? {
    KeyIdentifier.authority(extensions[ExtensionIdentifier.authorityKeyIdentifier]?.value)
  }

  /// Whether the list states the key of this certificate as its issuer's. An equal name alone says little: countries
  /// change their key and keep their name.
  package func statesKey(of certificate: Certificate) -> Bool {
    authorityKeyIdentifier != nil && authorityKeyIdentifier == certificate.subjectKeyIdentifier
  }

  package func isOfSameIssuer(as other: RevocationList) -> Bool {
    issuerName == other.issuerName && authorityKeyIdentifier == other.authorityKeyIdentifier
  }

  /// Whether this list was issued after the other one. Of two lists of the same second, the number tells.
  package func isNewer(than other: RevocationList) -> Bool {
    guard thisUpdate == other.thisUpdate else { return thisUpdate > other.thisUpdate }
    let (number, otherNumber) = (number, other.number)
    guard number.count == otherNumber.count else { return number.count > otherNumber.count }
    return otherNumber.lexicographicallyPrecedes(number)
  }

  /// The octets of the CRL number, without leading zeros; empty if there is none.
  private var number: ArraySlice<UInt8> {
    let field = extensions[ExtensionIdentifier.revocationListNumber].flatMap { try? DERValue($0.value, "number") }
    return field?.content.drop { $0 == 0 } ?? []
  }

  /// Whether the owner of `key` signed this list.
  ///
  /// - Throws: `CryptographyError` if the algorithm is not supported, or does not match the key.
  package func isSigned(by key: PublicKey) throws -> Bool { try structure.isSigned(by: key) }

  /// When a certificate of this issuer was revoked; nil if it was not.
  ///
  /// - Parameter serialNumber: the octets of its serial number.
  /// - Throws: `CryptographyError.malformed` if an entry before it cannot be decoded.
  package func revocationDate(ofSerialNumber serialNumber: ArraySlice<UInt8>) throws -> Date? {
    var entries = DERValue.Elements(rest: revoked)
    while !entries.isEmpty {
      var fields = try entries.next(DERValue.Tag.sequence, "revoked certificate").elements
      let number = try fields.next(DERValue.Tag.integer, "revoked certificate").content
      guard SerialNumber.isSame(number, serialNumber) else { continue }
      return try DERTime.date(try fields.next("revocation date"))
    }
    return nil
  }

  /// The number of revoked certificates.
  package var count: Int {
    var entries = DERValue.Elements(rest: revoked)
    var count = 0
    while (try? entries.next("revoked certificate")) != nil { count += 1 }
    return count
  }

  /// `-----BEGIN X509 CRL-----` with lines of 64 characters and no final line break.
  public func pem() -> String { PEMText.encode(der, "X509 CRL") }
}
