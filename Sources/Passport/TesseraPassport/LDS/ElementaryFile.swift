import TesseraSmartCard

/// A file of the chip (Doc 9303-10, 3.2 and 4.1).
public struct ElementaryFile: Sendable, Hashable {
  /// `EF.COM`, `EF.SOD`, `DG1`, …
  public let name: String
  /// The two bytes of the file identifier.
  public let identifier: UInt16
  /// The short file identifier, 5 bits.
  public let shortIdentifier: UInt8
  /// The tag of the data object that fills the file.
  public let tag: UInt32
  /// The number of a data group.
  public let dataGroup: Int?

  private init(name: String, identifier: UInt16, shortIdentifier: UInt8, tag: UInt32, dataGroup: Int? = nil) {
    self.name = name
    self.identifier = identifier
    self.shortIdentifier = shortIdentifier
    self.tag = tag
    self.dataGroup = dataGroup
  }

  /// The list of data groups; advisory.
  public static let com = ElementaryFile(name: "EF.COM", identifier: 0x011E, shortIdentifier: 0x1E, tag: 0x60)
  /// The document security object: digests of the data groups, signed by the document signer.
  public static let sod = ElementaryFile(name: "EF.SOD", identifier: 0x011D, shortIdentifier: 0x1D, tag: 0x77)
  /// In the master file, readable without a key: the parameters of PACE.
  public static let cardAccess = ElementaryFile(
    name: "EF.CardAccess", identifier: 0x011C, shortIdentifier: 0x1C, tag: 0x31)
  /// In the master file, readable after PACE: signed public keys of the chip.
  public static let cardSecurity = ElementaryFile(
    name: "EF.CardSecurity", identifier: 0x011D, shortIdentifier: 0x1D, tag: 0x30)

  /// In the master file: the card's applications. A sequence of data objects without an enclosing one.
  public static let directory = ElementaryFile(name: "EF.DIR", identifier: 0x2F00, shortIdentifier: 0x1E, tag: 0x61)
  /// In the master file: the lengths and the chaining that the card supports. A sequence of data objects.
  public static let cardInformation = ElementaryFile(
    name: "EF.ATR/INFO", identifier: 0x2F01, shortIdentifier: 0x01, tag: 0x7F66)

  /// The tags of DG1 to DG16, in this order (Doc 9303-10, 4.6.1).
  private static let dataGroupTags: [UInt32] = [
    0x61, 0x75, 0x63, 0x76, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70,
  ]

  /// A data group; nil outside 1 to 16.
  public static func dataGroup(_ number: Int) -> ElementaryFile? {
    (1...16).contains(number) ? group(number) : nil
  }

  /// The data group with this tag in EF.COM's tag list.
  public static func dataGroup(tag: UInt32) -> ElementaryFile? {
    dataGroupTags.firstIndex(of: tag).flatMap { dataGroup($0 + 1) }
  }

  public static let dg1 = group(1)
  public static let dg2 = group(2)
  public static let dg3 = group(3)
  public static let dg4 = group(4)
  public static let dg5 = group(5)
  public static let dg7 = group(7)
  public static let dg11 = group(11)
  public static let dg12 = group(12)
  public static let dg14 = group(14)
  public static let dg15 = group(15)
  public static let dg16 = group(16)

  /// - Parameter number: 1 to 16.
  private static func group(_ number: Int) -> ElementaryFile {
    ElementaryFile(
      name: "DG\(number)", identifier: 0x0100 | UInt16(number), shortIdentifier: UInt8(number),
      tag: dataGroupTags[number - 1], dataGroup: number)
  }

  /// The application identifier of the eMRTD application (Doc 9303-10, 3.2).
  public static let application: [UInt8] = [0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01]
}

extension ElementaryFile {
  /// Whether the chip requires Terminal Authentication for this file: DG3 (fingers) and DG4 (irises).
  public var needsTerminalAuthentication: Bool { dataGroup == 3 || dataGroup == 4 }
}
