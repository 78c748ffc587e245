/// DG12: additional document details (Doc 9303-10, 4.7.12). Texts are as stored on the chip.
public struct DataGroup12: Sendable, Equatable {
  public var issuingAuthority: String?
  public var dateOfIssue: FullDate?
  /// Names of other persons, in a document for several persons.
  public var otherPersons: [String] = []
  public var endorsements: String?
  public var taxOrExitRequirements: String?
  /// An image of the document's front.
  public var frontImage: [UInt8]?
  public var rearImage: [UInt8]?
  /// With a time of day.
  public var personalizationTime: FullDate?
  /// The serial number of the personalization system.
  public var personalizationSystem: String?
  /// The inconsistencies in the file. Empty for a group that was created in memory.
  public private(set) var findings: [FileFinding] = []

  package init() {}

  private static let names: [UInt32: String] = [
    0x5F19: "issuing authority", 0x5F26: "date of issue", 0x5F1A: "other person", 0x5F1B: "endorsements",
    0x5F1C: "tax or exit requirements", 0x5F1D: "image of front", 0x5F1E: "image of rear",
    0x5F55: "personalization time", 0x5F56: "personalization system",
  ]

  /// - Throws: the finding that makes the file unreadable.
  public init(_ file: [UInt8]) throws(FileFinding) {
    var fields = try DetailFields(.dg12, file, names: Self.names, repeated: 0x5F1A)
    func name(_ tag: UInt32) -> String { Self.names[tag] ?? "" }
    issuingAuthority = fields.text(0x5F19, name(0x5F19))
    dateOfIssue = fields.date(0x5F26, name(0x5F26))
    otherPersons = try fields.texts(0x5F1A, name(0x5F1A))
    endorsements = fields.text(0x5F1B, name(0x5F1B))
    taxOrExitRequirements = fields.text(0x5F1C, name(0x5F1C))
    frontImage = fields.image(0x5F1D, name(0x5F1D))
    rearImage = fields.image(0x5F1E, name(0x5F1E))
    personalizationTime = fields.date(0x5F55, name(0x5F55))
    personalizationSystem = fields.text(0x5F56, name(0x5F56))
    findings = fields.findings
  }

  package var encoded: [UInt8] {
    var writer = DetailWriter()
    writer.text(0x5F19, issuingAuthority)
    writer.date(0x5F26, dateOfIssue)
    writer.texts(0x5F1A, otherPersons)
    writer.text(0x5F1B, endorsements)
    writer.text(0x5F1C, taxOrExitRequirements)
    writer.bytes(0x5F1D, frontImage)
    writer.bytes(0x5F1E, rearImage)
    writer.date(0x5F55, personalizationTime)
    writer.text(0x5F56, personalizationSystem)
    return writer.file(.dg12)
  }
}

extension LogicalDataStructure {
  public var dataGroup12: Result<DataGroup12, FileFinding>? { dataGroup(12) }
}
