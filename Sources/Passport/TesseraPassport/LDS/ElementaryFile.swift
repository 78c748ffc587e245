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

  /// The numbers of all data groups: 1 to 16.
  package static let dataGroupNumbers = 1...DataGroupKind.all.count

  /// A data group; nil for another number.
  public static func dataGroup(_ number: Int) -> ElementaryFile? {
    dataGroupNumbers.contains(number) ? group(number) : nil
  }

  /// The data group with this tag in EF.COM's tag list.
  public static func dataGroup(tag: UInt32) -> ElementaryFile? {
    DataGroupKind.all.firstIndex { $0.tag == tag }.flatMap { dataGroup($0 + 1) }
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

  /// - Parameter number: one of `dataGroupNumbers`.
  static func group(_ number: Int) -> ElementaryFile {
    ElementaryFile(
      name: "DG\(number)", identifier: 0x0100 | UInt16(number), shortIdentifier: UInt8(number),
      tag: DataGroupKind.all[number - 1].tag, dataGroup: number)
  }

  /// The application identifier of the eMRTD application (Doc 9303-10, 3.2).
  public static let application: [UInt8] = [0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01]
}

extension ElementaryFile {
  /// Whether the chip requires Terminal Authentication for this file: DG3 (fingers) and DG4 (irises).
  public var needsTerminalAuthentication: Bool { dataGroup == 3 || dataGroup == 4 }
}

extension ElementaryFile {
  /// The size of the largest file that is read, in bytes. No file of a real chip is as large.
  package static let maximumSize = 4 << 20

  /// Every file that a document can have: the lists, the files of the master file, the data groups.
  package static let all: [ElementaryFile] =
    [.com, .sod, .cardAccess, .cardSecurity, .cardInformation, .directory] + dataGroupNumbers.compactMap(dataGroup)

  /// Identifies a stored file by its first tag, whatever its name is. Only the files of the master file have ambiguous
  /// tags: their names must contain `CardAccess`, `CardSecurity`, `EF.ATR` or `EF.DIR`, in any case and with any
  /// punctuation. The name of an EF.SOD without its outer tag, as programs for CMS write it, must contain `SOD`. Fillers behind
  /// the file, or the status word of the command that read it, do not matter.
  ///
  /// nil if the bytes are no elementary file.
  package init?(recognizing bytes: [UInt8], name: String) {
    let letters = name.lowercased().filter(\.isLetter)
    // Its length may be indefinite.
    if letters.contains("sod"), Self.isSignedData(bytes) {
      self = .sod
      return
    }
    guard let header = try? BERTLV.header(of: bytes[...]) else { return nil }
    if letters.contains("cardsecurity"), bytes.first == 0x30 {
      self = .cardSecurity
    } else if letters.contains("efatr") {
      self = .cardInformation
    } else if letters.contains("efdir") {
      self = .directory
    } else {
      // The tags are ordinary letters, so a text can start like a file; but its length does not match.
      guard header.totalLength <= bytes.count,
        Self.isIgnored(bytes[header.totalLength...]),
        let file = Self.file(tag: header.tag, letters)
      else { return nil }
      self = file
    }
  }

  private static func isIgnored(_ rest: ArraySlice<UInt8>) -> Bool {
    rest.allSatisfy { $0 == 0x00 || $0 == 0xFF } || rest.elementsEqual([0x90, 0x00])
  }

  /// Whether this begins as a `ContentInfo` with `SignedData` (RFC 5652, 3).
  private static func isSignedData(_ bytes: [UInt8]) -> Bool {
    let identifier: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    return bytes.first == 0x30 && (2...6).contains { bytes.dropFirst($0).starts(with: identifier) }
  }

  private static func file(tag: UInt32, _ letters: String) -> ElementaryFile? {
    switch tag {
    case cardAccess.tag: letters.contains("cardaccess") ? .cardAccess : nil
    case com.tag: .com
    case sod.tag: .sod
    default: dataGroup(tag: tag)
    }
  }
}
