import TesseraPassport
import TesseraSmartCard

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
  }
}
