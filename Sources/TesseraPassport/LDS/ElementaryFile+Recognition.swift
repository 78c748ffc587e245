import TesseraSmartCard

extension ElementaryFile {
  /// The size of the largest file that is read, in bytes. No file of a real chip is as large.
  package static let maximumSize = 4 << 20

  /// Every file that a document can have: the lists, the files of the master file, the data groups.
  package static let all: [ElementaryFile] =
    [.com, .sod, .cardAccess, .cardSecurity, .cardInformation, .directory] + (1...16).compactMap(dataGroup)

  /// Identifies a stored file by its first tag, whatever its name is. Only the files of the master file have ambiguous
  /// tags: their names must contain `CardAccess`, `CardSecurity`, `EF.ATR` or `EF.DIR`, in any case and with any
  /// punctuation.
  ///
  /// nil if the bytes are no elementary file.
  package init?(recognizing bytes: [UInt8], name: String) {
    guard let header = try? BERTLV.header(of: bytes[...]) else { return nil }
    let letters = name.lowercased().filter(\.isLetter)
    if letters.contains("cardsecurity"), bytes.first == 0x30 {
      self = .cardSecurity
    } else if letters.contains("efatr") {
      self = .cardInformation
    } else if letters.contains("efdir") {
      self = .directory
    } else {
      // The tags are ordinary letters, so a text can start like a file; but its length does not match.
      guard header.totalLength <= bytes.count,
        bytes[header.totalLength...].allSatisfy({ $0 == 0x00 || $0 == 0xFF }),
        let file = Self.file(tag: header.tag, letters)
      else { return nil }
      self = file
    }
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
