import TesseraCryptography
import TesseraPassport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A document for tests: by default the passport of an invented person from Utopia. Each instance is issued again, by
/// an authority whose private keys are public.
public struct SpecimenDocument: Sendable {
  /// The content of the data page.
  public static let content = MachineReadableZone.Content(
    documentCode: "P", issuingState: "UTO", documentNumber: "TS0264718", nationality: "UTO", dateOfBirth: "900214",
    sex: "F", dateOfExpiry: "350630", primaryIdentifier: "SPECIMEN", secondaryIdentifier: "TESSA MARIA")

  /// The elementary files.
  public let files: ChipFiles
  /// The certificate of the country signer (CSCA), the trust anchor of the document.
  public let countrySigner: Certificate

  /// The drawn portrait, a JPEG of 413 by 531 pixels.
  public static var portrait: [UInt8] { PackageResources.portrait_jpg }

  /// The built-in document with DG1 and DG2 only, without keys of a chip.
  public init() throws {
    let zone = try MachineReadableZone(Self.content, format: .td3)
    let portrait = FacialImage(data: Self.portrait, width: 413, height: 531)
    try self.init(groups: [1: DataGroup1(zone: zone).encoded, 2: DataGroup2(faces: [portrait]).encoded])
  }

  /// Issues a document with these data groups. EF.COM lists them and EF.SOD signs their digests.
  ///
  /// - Parameters:
  ///   - groups: The encoded data groups by number.
  ///   - ldsVersion: Four digits; EF.SOD contains it from 0108 on.
  ///   - cardSecurity: The content of EF.CardSecurity, `SecurityInfos`; nil for a document without this file.
  public init(groups: [Int: [UInt8]], ldsVersion: String = "0108", cardSecurity: [UInt8]? = nil) throws {
    let authority = try Self.issue(.countrySigner, "CSCA Utopia", serialNumber: 1, until: 2045, by: nil)
    countrySigner = authority.certificate
    let signer = try Self.issue(
      .documentSigner, "Document Signer 1", serialNumber: 2, until: 2036, by: authority)

    let object = LDSSecurityObject(
      hashAlgorithm: .sha256, digests: try groups.mapValues { try HashAlgorithm.sha256.digest(of: $0) },
      ldsVersion: ldsVersion >= "0108" ? ldsVersion : nil, unicodeVersion: ldsVersion >= "0108" ? "040000" : nil)
    let contentInfo = try SignedDataBuilder.sign(
      object.encoded(), contentType: LDSSecurityObject.objectIdentifier, certificate: signer.certificate,
      key: signer.key)

    var contents: [ElementaryFile: [UInt8]] = [
      .com: EFCOM(ldsVersion: ldsVersion, unicodeVersion: "040000", dataGroups: groups.keys.sorted()).encoded,
      .sod: EFSOD.encode(contentInfo: contentInfo),
    ]
    for (number, bytes) in groups {
      if let file = ElementaryFile.dataGroup(number) { contents[file] = bytes }
    }
    var files = ChipFiles(contents)
    files.masterFiles[.cardSecurity] = try cardSecurity.map {
      try SignedDataBuilder.sign(
        $0, contentType: Self.securityObject, certificate: signer.certificate, key: signer.key)
    }
    self.files = files
  }

  /// `id-SecurityObject` of BSI TR-03110-3, A.1.2.5.
  private static let securityObject = "0.4.0.127.0.7.3.2.1"

  private typealias Issuer = (certificate: Certificate, key: SigningKey)

  /// - Parameter issuer: Nil for the self-signed country signer.
  private static func issue(
    _ role: CertificateBuilder.Role, _ name: String, serialNumber: UInt64, until year: Int, by issuer: Issuer?
  ) throws -> Issuer {
    let key = try publicSpecimenKey(name)
    let builder = CertificateBuilder(
      role: role, country: "UT", organization: "Tessera specimen", commonName: name, serialNumber: serialNumber,
      notBefore: date(2025), notAfter: date(year))
    return (try builder.issue(for: key, by: issuer), key)
  }

  /// A private key derived from a published text. It must not be trusted.
  private static func publicSpecimenKey(_ name: String) throws -> SigningKey {
    let seed = try HashAlgorithm.sha256.digest(of: Array("Tessera specimen \(name), not a secret".utf8))
    return try SigningKey(p256Scalar: SecretBytes(seed))
  }

  private static func date(_ year: Int) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar.date(from: DateComponents(year: year, month: 1, day: 1)) ?? .distantPast
  }
}
