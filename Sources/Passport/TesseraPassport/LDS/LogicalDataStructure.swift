import TesseraSmartCard

/// The parsed files of one document. Each file is parsed once, when it is added.
public struct LogicalDataStructure: Sendable {
  public private(set) var commonData: Result<EFCOM, PassportError>?
  public private(set) var securityObject: Result<EFSOD, PassportError>?
  public private(set) var dataGroup1: Result<DataGroup1, PassportError>?
  public private(set) var dataGroup2: Result<DataGroup2, FileFinding>?
  public private(set) var dataGroup3: Result<DataGroup3, FileFinding>?
  public private(set) var dataGroup4: Result<DataGroup4, FileFinding>?
  public private(set) var dataGroup5: Result<DisplayedImages, FileFinding>?
  public private(set) var dataGroup7: Result<DisplayedImages, FileFinding>?
  public private(set) var dataGroup11: Result<DataGroup11, FileFinding>?
  public private(set) var dataGroup12: Result<DataGroup12, FileFinding>?
  public private(set) var dataGroup16: Result<DataGroup16, FileFinding>?
  public private(set) var dataGroup14: Result<DataGroup14, PassportError>?
  public private(set) var dataGroup15: Result<DataGroup15, PassportError>?
  public private(set) var cardAccess: Result<SecurityInfos, PassportError>?
  public private(set) var cardInformation: EFATRInfo?
  public private(set) var cardSecurity: Result<EFCardSecurity, PassportError>?

  mutating func add(_ file: ElementaryFile, _ bytes: [UInt8]) {
    switch file {
    case .com: commonData = Self.parse { () throws(PassportError) in try EFCOM(bytes) }
    case .sod: securityObject = Self.parse { () throws(PassportError) in try EFSOD(bytes) }
    case .dg1: dataGroup1 = Self.parse { () throws(PassportError) in try DataGroup1(bytes) }
    case .dg2: dataGroup2 = Self.parse { () throws(FileFinding) in try DataGroup2(bytes) }
    case .dg3: dataGroup3 = Self.parse { () throws(FileFinding) in try DataGroup3(bytes) }
    case .dg4: dataGroup4 = Self.parse { () throws(FileFinding) in try DataGroup4(bytes) }
    case .dg5: dataGroup5 = Self.parse { () throws(FileFinding) in try DisplayedImages(.portrait, bytes) }
    case .dg7: dataGroup7 = Self.parse { () throws(FileFinding) in try DisplayedImages(.signatureOrMark, bytes) }
    case .dg11: dataGroup11 = Self.parse { () throws(FileFinding) in try DataGroup11(bytes) }
    case .dg12: dataGroup12 = Self.parse { () throws(FileFinding) in try DataGroup12(bytes) }
    case .dg16: dataGroup16 = Self.parse { () throws(FileFinding) in try DataGroup16(bytes) }
    case .dg14: dataGroup14 = Self.parse { () throws(PassportError) in try DataGroup14(bytes) }
    case .dg15: dataGroup15 = Self.parse { () throws(PassportError) in try DataGroup15(bytes) }
    case .cardAccess:
      cardAccess = Self.parse { () throws(PassportError) in
        do {
          return try SecurityInfos(bytes)
        } catch {
          throw .fileMalformed(.cardAccess, "its content is not SecurityInfos")
        }
      }
    case .cardInformation: cardInformation = EFATRInfo(bytes)
    case .cardSecurity: cardSecurity = Self.parse { () throws(PassportError) in try EFCardSecurity(bytes) }
    default: break  // stored raw only
    }
  }

  private static func parse<File, Problem>(_ body: () throws(Problem) -> File) -> Result<File, Problem> {
    do {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  /// The contents of EF.CardAccess, DG14 and EF.CardSecurity, without malformed files.
  public var securityInfos: [SecurityInfos] {
    [try? cardAccess?.get(), (try? dataGroup14?.get())?.securityInfos, (try? cardSecurity?.get())?.securityInfos]
      .compactMap { $0 }
  }

  /// Whether the chip offers a protocol whose object identifier is `arc` or below it.
  package func offers(_ arc: String) -> Bool { securityInfos.contains { $0.offers(arc) } }

  /// The numbers of the data groups that EF.SOD or EF.COM name.
  public var listedDataGroups: Set<Int> {
    let digests = (try? securityObject?.get())?.securityObject.digests.keys.map { $0 } ?? []
    return Set(digests).union((try? commonData?.get())?.dataGroups ?? [])
  }

  /// The inconsistencies in the data groups, in the order of their numbers. An unreadable file has one finding. DG1 and
  /// EF.SOD are not included; the verification checks them.
  public var findings: [FileFinding] {
    Self.findings(dataGroup2, \.findings) + Self.findings(dataGroup3, \.findings)
      + Self.findings(dataGroup4, \.findings) + Self.findings(dataGroup5, \.findings)
      + Self.findings(dataGroup7, \.findings) + Self.findings(dataGroup11, \.findings)
      + Self.findings(dataGroup12, \.findings) + Self.findings(dataGroup16, \.findings)
  }

  private static func findings<Group>(
    _ group: Result<Group, FileFinding>?, _ findings: (Group) -> [FileFinding]
  ) -> [FileFinding] {
    switch group {
    case .success(let group)?: findings(group)
    case .failure(let finding)?: [finding]
    case nil: []
    }
  }
}
