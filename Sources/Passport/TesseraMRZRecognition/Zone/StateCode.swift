import TesseraPassport

/// The codes of issuing states, organisations and nationalities (Doc 9303-3, 5), which tell letters apart that no check
/// digit covers.
enum StateCode {
  /// What a code costs that is in no list, in nats: states and codes come into being, and a picture that is clear outweighs
  /// the list.
  static let unlisted: Float = -5
  /// How much more probable the nationality is that is the issuing state than another one. Residence permits and visas
  /// have others.
  static let sameState: Float = 1

  /// Each with its fillers, as numbers of characters.
  static let codes: [[Int]] = {
    // ISO 3166-1, without Germany, whose code is D.
    var codes = Set(CountryName.twoLetters.keys)
    codes.remove("DEU")
    codes.formUnion(further.split(whereSeparator: \.isWhitespace).map(String.init))
    return codes.sorted().map { code in
      (code.utf8.compactMap(ZoneCharacter.number) + [ZoneCharacter.filler, ZoneCharacter.filler]).prefix(3).map { $0 }
    }
  }()

  private static let known = Set(codes)

  static func isListed(_ characters: [Int]) -> Bool { known.contains(characters) }

  /// Doc 9303-3, 5, parts B to F: Germany, British nationals, the United Nations, the European Union, Kosovo, organisations,
  /// stateless persons and refugees, specimens; codes that documents have and that are obsolete or of no list.
  private static let further = """
    D GBD GBN GBO GBP GBS UNO UNA UNK EUE RKS XKX XOM XXA XXB XXC XXX XBA XIM XCC XCE XCO XEC XPO XES XMP XDC UTO
    IAO ANT NTZ ROM YUG SCG CSK SUN DDR ZAR TMP BUR
    """
}
