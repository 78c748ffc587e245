import SmartCard

/// The parsed forms of the files of one document, each parsed once, when its bytes come in.
public struct LogicalDataStructure: Sendable {
  public private(set) var commonData: Result<EFCOM, PassportError>?
  public private(set) var securityObject: Result<EFSOD, PassportError>?
  public private(set) var dataGroup1: Result<DataGroup1, PassportError>?
  public private(set) var dataGroup2: Result<DataGroup2, PassportError>?
  public private(set) var dataGroup14: Result<DataGroup14, PassportError>?
  public private(set) var dataGroup15: Result<DataGroup15, PassportError>?
  public private(set) var cardAccess: Result<SecurityInfos, PassportError>?
  public private(set) var cardSecurity: Result<EFCardSecurity, PassportError>?

  mutating func add(_ file: ElementaryFile, _ bytes: [UInt8]) {
    switch file {
    case .com: commonData = Self.parse { () throws(PassportError) in try EFCOM(bytes) }
    case .sod: securityObject = Self.parse { () throws(PassportError) in try EFSOD(bytes) }
    case .dg1: dataGroup1 = Self.parse { () throws(PassportError) in try DataGroup1(bytes) }
    case .dg2: dataGroup2 = Self.parse { () throws(PassportError) in try DataGroup2(bytes) }
    case .dg14: dataGroup14 = Self.parse { () throws(PassportError) in try DataGroup14(bytes) }
    case .dg15: dataGroup15 = Self.parse { () throws(PassportError) in try DataGroup15(bytes) }
    case .cardAccess:
      cardAccess = Self.parse { () throws(PassportError) in
        do {
          return try SecurityInfos(bytes)
        } catch {
          throw .fileMalformed(.cardAccess, "it holds no SecurityInfos")
        }
      }
    case .cardSecurity: cardSecurity = Self.parse { () throws(PassportError) in try EFCardSecurity(bytes) }
    default: break  // kept raw
    }
  }

  private static func parse<File>(_ body: () throws(PassportError) -> File) -> Result<File, PassportError> {
    do {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  /// What EF.CardAccess, DG14 and EF.CardSecurity offer; malformed ones offer nothing.
  public var securityInfos: [SecurityInfos] {
    [try? cardAccess?.get(), (try? dataGroup14?.get())?.securityInfos, (try? cardSecurity?.get())?.securityInfos]
      .compactMap { $0 }
  }

  /// Whether a protocol below `arc` is offered.
  public func offers(_ arc: String) -> Bool { securityInfos.contains { $0.offers(arc) } }

  /// The numbers of the data groups that EF.SOD or EF.COM name.
  public var listedDataGroups: Set<Int> {
    let digests = (try? securityObject?.get())?.securityObject.digests.keys.map { $0 } ?? []
    return Set(digests).union((try? commonData?.get())?.dataGroups ?? [])
  }
}
