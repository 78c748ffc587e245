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
  /// What the issuing country publishes.
  public let country: TestCountry
  /// The certificate of the country signer (CSCA) that issued the document signer's. `country` contains it, except in
  /// the profile `trust-unknown-csca`.
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
    try self.init(groups: groups, ldsVersion: ldsVersion, cardSecurity: cardSecurity, issuance: DocumentIssuance())
  }

  /// The same, with the keys, signatures and faults of `issuance`.
  package init(
    groups: [Int: [UInt8]], ldsVersion: String = "0108", cardSecurity: [UInt8]? = nil, issuance: DocumentIssuance
  ) throws {
    let content = DocumentContent(groups, issuance)
    let issued = try TestCountry.issue(issuance, documentCode: content.documentCode, now: Date())
    country = issued.country
    countrySigner = issued.countrySigner

    let object = LDSSecurityObject(
      hashAlgorithm: issuance.digest, digests: try content.signed.mapValues { try issuance.digest.digest(of: $0) },
      ldsVersion: ldsVersion >= "0108" ? ldsVersion : nil, unicodeVersion: ldsVersion >= "0108" ? "040000" : nil)
    var builder = SignedDataBuilder(contentType: LDSSecurityObject.objectIdentifier)
    builder.identification = issuance.identification
    builder.embedsCertificate = issuance.embedsCertificate
    builder.signingTime = issued.signingTime
    let contentInfo = try builder.sign(object.encoded(), by: issued.documentSigner)

    var contents: [ElementaryFile: [UInt8]] = [
      .com: EFCOM(ldsVersion: ldsVersion, unicodeVersion: "040000", dataGroups: content.stored.keys.sorted()).encoded,
      .sod: EFSOD.encode(contentInfo: contentInfo),
    ]
    for (number, bytes) in content.stored {
      if let file = ElementaryFile.dataGroup(number) { contents[file] = bytes }
    }
    var files = ChipFiles(contents)
    builder.contentType = Self.securityObject
    files.masterFiles[.cardSecurity] = try cardSecurity.map { try builder.sign($0, by: issued.documentSigner) }
    self.files = files
  }

  /// `id-SecurityObject` of BSI TR-03110-3, A.1.2.5.
  private static let securityObject = "0.4.0.127.0.7.3.2.1"
}
