import TesseraSmartCard

extension ElementaryFile {
  /// The size of the largest file that is read, in bytes. No file of a real chip is as large.
  package static let maximumSize = 4 << 20

  /// Every file that a document can have: the lists, the files of the master file, the data groups.
  package static let all: [ElementaryFile] =
    [.com, .sod, .cardAccess, .cardSecurity, .cardInformation, .directory] + (1...16).compactMap(dataGroup)

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
