extension Barcode {
  /// Whether the content is a whole seal, as far as its beginning, its end and its characters tell. `content` names by the
  /// beginning alone, so that a damaged seal is named, too; a search must not end with what only begins like a seal.
  ///
  /// A seal of a version that is not known yet is none here: it is found all the same, and takes a longer search.
  package var isWholeSeal: Bool {
    switch content {
    case .visibleDigitalSeal: Self.isWholeVDS(bytes)
    case .icaoBarcode: Self.isWholeIDB(bytes)
    case .vdsNC: JSONMembers.isWhole(bytes)
    case .twoDDoc, .aamva, .euHealthCertificate, .boardingPass, .unknown: false
    }
  }

  /// A version that is known or occurs (1 to 4), and room for the header and a signature's tag and length (Doc 9303-13).
  private static func isWholeVDS(_ bytes: [UInt8]) -> Bool { bytes.count >= 18 + 2 && bytes[1] <= 3 }

  /// A flag and Base32 of the country and one message's tag and length. Texts of other kinds have spaces and small letters.
  private static func isWholeIDB(_ bytes: [UInt8]) -> Bool {
    // Eight characters are five bytes.
    guard bytes.count >= 5 + 7, (UInt8(ascii: "A")...UInt8(ascii: "D")).contains(bytes[4]) else { return false }
    guard bytes[..<4].allSatisfy({ !(0x61...0x7A).contains($0) }) else { return false }
    return bytes[5...].allSatisfy { (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) }
  }
}
