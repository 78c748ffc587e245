/// DG11: additional personal details (Doc 9303-10, 4.7.11). Texts are as stored on the chip, in any script, with `<`
/// between the components of a name or an address and `<<` between the identifiers of a name.
public struct DataGroup11: Sendable, Equatable {
  /// In the national script.
  public var fullName: String?
  public var otherNames: [String] = []
  public var personalNumber: String?
  public var dateOfBirth: FullDate?
  public var placeOfBirth: String?
  public var permanentAddress: String?
  public var telephone: String?
  public var profession: String?
  public var title: String?
  public var personalSummary: String?
  /// An image of the proof of citizenship.
  public var proofOfCitizenship: [UInt8]?
  public var otherTravelDocuments: String?
  public var custodyInformation: String?
  /// The inconsistencies in the file. Empty for a group that was created in memory.
  public private(set) var findings: [FileFinding] = []

  package init() {}

  private static let names: [UInt32: String] = [
    0x5F0E: "full name", 0x5F0F: "other name", 0x5F10: "personal number", 0x5F2B: "date of birth",
    0x5F11: "place of birth", 0x5F42: "permanent address", 0x5F12: "telephone", 0x5F13: "profession", 0x5F14: "title",
    0x5F15: "personal summary", 0x5F16: "proof of citizenship", 0x5F17: "other travel document numbers",
    0x5F18: "custody information",
  ]

  /// - Throws: the finding that makes the file unreadable.
  public init(_ file: [UInt8]) throws(FileFinding) {
    var fields = try DetailFields(.dg11, file, names: Self.names, repeated: 0x5F0F)
    func name(_ tag: UInt32) -> String { Self.names[tag] ?? "" }
    fullName = fields.text(0x5F0E, name(0x5F0E))
    otherNames = try fields.texts(0x5F0F, name(0x5F0F))
    personalNumber = fields.text(0x5F10, name(0x5F10))
    dateOfBirth = fields.date(0x5F2B, name(0x5F2B))
    placeOfBirth = fields.text(0x5F11, name(0x5F11))
    permanentAddress = fields.text(0x5F42, name(0x5F42))
    telephone = fields.text(0x5F12, name(0x5F12))
    profession = fields.text(0x5F13, name(0x5F13))
    title = fields.text(0x5F14, name(0x5F14))
    personalSummary = fields.text(0x5F15, name(0x5F15))
    proofOfCitizenship = fields.image(0x5F16, name(0x5F16))
    otherTravelDocuments = fields.text(0x5F17, name(0x5F17))
    custodyInformation = fields.text(0x5F18, name(0x5F18))
    findings = fields.findings
  }

  package var encoded: [UInt8] {
    var writer = DetailWriter()
    writer.text(0x5F0E, fullName)
    writer.texts(0x5F0F, otherNames)
    writer.text(0x5F10, personalNumber)
    writer.date(0x5F2B, dateOfBirth)
    writer.text(0x5F11, placeOfBirth)
    writer.text(0x5F42, permanentAddress)
    writer.text(0x5F12, telephone)
    writer.text(0x5F13, profession)
    writer.text(0x5F14, title)
    writer.text(0x5F15, personalSummary)
    writer.bytes(0x5F16, proofOfCitizenship)
    writer.text(0x5F17, otherTravelDocuments)
    writer.text(0x5F18, custodyInformation)
    return writer.file(.dg11)
  }
}

extension LogicalDataStructure {
  public var dataGroup11: Result<DataGroup11, FileFinding>? { dataGroup(11) }
}
