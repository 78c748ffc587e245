#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An X.509 certificate revocation list (RFC 5280, 5; Doc 9303-12, 7.1.4).
///
/// It may cover a part of an issuer's certificates only, or changes only; then `isComplete` is false.
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

  /// Whether a certificate that it does not list was not revoked: it is neither a delta list (RFC 5280, 5.2.4) nor one for
  /// a part of the certificates or of the reasons (5.2.5).
  package let isComplete: Bool
  private let isDelta: Bool

  /// - Throws: `CryptographyError.malformed` if this is not a revocation list; `.unsupported` for a list with the
  ///   certificates of several issuers, or with a critical extension that is not known.
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
    let unknown = extensions.critical.filter { !Self.knownExtensions.contains($0) }
    guard unknown.isEmpty else {
      throw CryptographyError.unsupported("a revocation list with the critical extension \(unknown[0])")
    }
    let partition =
      try extensions[ExtensionIdentifier.issuingDistributionPoint].map { try Self.partition($0.value) } ?? []
    guard !partition.contains(Self.indirect) else {
      throw CryptographyError.unsupported("a revocation list with the certificates of several issuers")
    }
    isDelta = extensions[ExtensionIdentifier.deltaIndicator] != nil
    isComplete = partition.isEmpty && !isDelta
  }

  /// Key identifier, number, delta indicator and issuing distribution point: what they say is looked at.
  private static let knownExtensions: Set<String> = ["2.5.29.35", "2.5.29.20", "2.5.29.27", "2.5.29.28"]

  /// `indirectCRL`.
  private static let indirect = DERValue.Tag.implicit(4)

  /// The tags of `IssuingDistributionPoint` that restrict what the list covers (RFC 5280, 5.2.5): all but its name.
  private static func partition(_ value: ArraySlice<UInt8>) throws -> Set<UInt8> {
    var fields = try DERValue(value, "issuingDistributionPoint").elements
    var tags: Set<UInt8> = []
    while !fields.isEmpty {
      let field = try fields.next("issuingDistributionPoint")
      // A flag that is written out may be false.
      let isSet = field.tag == DERValue.Tag.implicit(3) || field.content.contains { $0 != 0 }
      if field.tag != DERValue.Tag.context(0), isSet { tags.insert(field.tag) }
    }
    return tags
  }

  /// The issuer that a list states, also one that is not supported; nil if the list is malformed.
  package static func issuer(of der: [UInt8]) -> String? {
    do {
      var fields = try SignedStructure.decode(der, "revocation list").fields
      _ = try fields.nextIf(DERValue.Tag.integer, "version")
      _ = try fields.next("signature algorithm")
      return DistinguishedName(try fields.next(DERValue.Tag.sequence, "issuer")).description
    } catch {
      return nil
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

  /// Whether names and stated keys speak for one issuer.
  package func isOfSameIssuer(as other: RevocationList) -> Bool {
    issuerName.isSame(as: other.issuerName)
      && (authorityKeyIdentifier == nil || other.authorityKeyIdentifier == nil
        || authorityKeyIdentifier == other.authorityKeyIdentifier)
  }

  /// Whether this list takes the place of an older one of the same issuer. One for a part of the certificates, which its
  /// distribution point may name (RFC 5280, 5.2.5), takes the place of one for the same part only; a delta list of none.
  package func replaces(_ other: RevocationList) -> Bool {
    guard isNewer(than: other), !isDelta, isComplete || !other.isComplete && !other.isDelta else { return false }
    return distributionPoint == nil || distributionPoint == other.distributionPoint
  }

  private var distributionPoint: ArraySlice<UInt8>? { extensions[ExtensionIdentifier.issuingDistributionPoint]?.value }

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
      let date = try DERTime.date(try fields.next("revocation date"))
      if !isComplete, try Self.isRemoval(fields) { continue }
      return date
    }
    return nil
  }

  /// Whether an entry of a delta list takes a revocation back (`removeFromCRL`, RFC 5280, 5.3.1).
  private static func isRemoval(_ rest: DERValue.Elements) throws -> Bool {
    var fields = rest
    let list = try fields.nextIf(DERValue.Tag.sequence, "crlEntryExtensions")
    let extensions = try list.map(CertificateExtensions.init(list:))
    return extensions?[ExtensionIdentifier.reasonCode]?.value.elementsEqual([0x0A, 0x01, 0x08]) ?? false
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
