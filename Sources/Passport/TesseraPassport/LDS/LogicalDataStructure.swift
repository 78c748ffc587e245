/// The parsed files of one document. Each file is parsed once, when it is added.
public struct LogicalDataStructure: Sendable {
  public private(set) var commonData: Result<EFCOM, PassportError>?
  public private(set) var securityObject: Result<EFSOD, PassportError>?
  public private(set) var cardAccess: Result<SecurityInfos, PassportError>?
  public private(set) var cardInformation: EFATRInfo?
  public private(set) var cardSecurity: Result<EFCardSecurity, PassportError>?
  /// By their numbers. Each file of a group has the property with its content.
  private var dataGroups: [Int: ParsedDataGroup] = [:]

  /// The content of a data group, in the types of its entry in `DataGroupKind.all`; nil before the file was added.
  func dataGroup<Group, Problem>(_ number: Int) -> Result<Group, Problem>? {
    dataGroups[number]?.content as? Result<Group, Problem>
  }

  mutating func add(_ file: ElementaryFile, _ bytes: [UInt8]) {
    switch file {
    case .com: commonData = Self.parse { () throws(PassportError) in try EFCOM(bytes) }
    case .sod: securityObject = Self.parse { () throws(PassportError) in try EFSOD(bytes) }
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
    default:
      if let number = file.dataGroup { dataGroups[number] = DataGroupKind.all[number - 1].parse?(bytes) }
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

  /// The numbers of the data groups that the document has: those of EF.SOD. EF.COM is not signed, and counts only if there
  /// is no EF.SOD that can be read (Doc 9303-10, 4.6.1 and 4.6.2).
  package var statedDataGroups: Set<Int> {
    (try? securityObject?.get()).map { Set($0.securityObject.digests.keys) } ?? listedDataGroups
  }

  /// The inconsistencies in the data groups, in the order of their numbers. An unreadable file has one finding. DG1 and
  /// EF.SOD are not included; the verification checks them.
  public var findings: [FileFinding] {
    dataGroups.sorted { $0.key < $1.key }.flatMap(\.value.findings)
  }
}
