import TesseraCryptography
import TesseraPassport
import TesseraSmartCard

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
  public private(set) var files: ChipFiles
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
    files.issuingProfile = ChipProfile.bac.name
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

/// The data groups that EF.SOD signs and those that the chip stores. They differ only as a deviation of the issuance
/// asks.
struct DocumentContent {
  /// By data group number.
  private(set) var signed: [Int: [UInt8]]
  private(set) var stored: [Int: [UInt8]]

  /// - Parameter groups: The encoded data groups by number.
  init(_ groups: [Int: [UInt8]], _ issuance: DocumentIssuance) {
    signed = groups
    stored = groups
    for deviation in issuance.deviations {
      switch deviation {
      case .changedGroup:
        // The last byte belongs to the image.
        stored[2]?.withUnsafeMutableBytes { if let last = $0.indices.last { $0[last] ^= 1 } }
      case .uncoveredGroup:
        signed[11] = nil
        stored[11] = groups[11] ?? SpecimenDocument.personalDetails.encoded
      case .missingGroup:
        signed[12] = groups[12] ?? SpecimenDocument.documentDetails.encoded
        stored[12] = nil
      default: break
      }
    }
  }

  /// The document code of the MRZ without filler; `P` if there is no MRZ.
  var documentCode: String {
    let zone = stored[1].flatMap { try? DataGroup1($0).zone.get() }
    return zone.map { String($0.text.prefix(2).prefix { $0 != "<" }) } ?? "P"
  }
}

extension SpecimenDocument {
  /// The built-in document with the keys and the `SecurityInfos` of a profile.
  public init(profile: ChipProfile) throws {
    var content = Self.content
    if profile.isCard { content.documentCode = "I" }
    let zone = try MachineReadableZone(content, format: profile.isCard ? .td1 : .td3)
    let portrait = FacialImage(data: Self.portrait, width: 413, height: 531)
    try self.init(
      adding: [1: DataGroup1(zone: zone).encoded, 2: DataGroup2(faces: [portrait]).encoded], profile: profile)
  }

  /// A document with these data groups, and with those that the profile's mechanisms require.
  public init(adding groups: [Int: [UInt8]], profile: ChipProfile) throws {
    let infos = ChipSecurityInfos(profile)
    var groups = groups
    groups[14] = try infos.dataGroup14() ?? groups[14]
    groups[15] = try infos.dataGroup15() ?? groups[15]
    if profile.supportsTerminalAuthentication {
      // DG3 and DG4 without any record (Doc 9303-10, 4.7.3.1).
      for (number, tag) in [(3, 0x63), (4, 0x76)] as [(Int, UInt32)] where groups[number] == nil {
        groups[number] = BERTLV.encode(tag, BERTLV.encode(0x7F61, [0x02, 0x01, 0x00, 0x53, 0x02, 0x54, 0x53]))
      }
    }
    try self.init(
      groups: groups, ldsVersion: profile.ldsVersion, cardSecurity: infos.cardSecurity(), issuance: profile.issuance)
    files.issuingProfile = profile.name
  }
}
