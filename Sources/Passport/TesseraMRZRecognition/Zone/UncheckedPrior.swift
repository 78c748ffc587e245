import TesseraPassport

/// How probable the characters are that no check digit covers, in nats.
enum UncheckedPrior {
  /// The most that the rules say for one reading instead of another one: less than `NumberPrior.range`, since no check digit
  /// helps the picture here.
  static let range: Float = 2.5

  static func difference(_ value: Float, _ other: Float) -> Float {
    NumberPrior.difference(value, other, most: range)
  }

  // MARK: - Names

  /// A letter in the fillers behind the name: the name ends with fillers only (Doc 9303-3, 4.6), and words of it stand
  /// one filler apart, primary and secondary identifier two.
  private static let letterBehindName: Float = -4
  /// A name that begins with a filler.
  private static let fillerFirst: Float = -3
  /// A digit: only Russia's internal passport has them, for letters of the Russian alphabet.
  private static let digit: Float = -0.5

  static func names(_ characters: [Int]) -> Float {
    var sum: Float = characters.first == ZoneCharacter.filler ? fillerFirst : 0
    var fillers = 0
    var separators = 0
    for (index, character) in characters.enumerated() {
      if character == ZoneCharacter.filler {
        fillers += 1
        continue
      }
      if character < 10 { sum += digit }
      if fillers > 1, index > fillers {
        separators += 1
        // The first two fillers separate the identifiers; three are never between words.
        if separators > 1 || fillers > 2 { sum += letterBehindName }
      }
      fillers = 0
    }
    return max(sum, -range)
  }

  // MARK: - Codes

  /// Document codes that are of no list cost this: issuers choose the second letter.
  private static let otherDocument: Float = -1.5
  /// First letters that Doc 9303-4 to 7 do not have for the format.
  private static let otherKind: Float = -3

  static func documentCode(_ characters: [Int], isBooklet: Bool, isVisa: Bool) -> Float {
    guard characters.count == 2, !isVisa else { return 0 }
    let code = String(decoding: characters.map(ZoneCharacter.ascii), as: UTF8.self)
    // The resident's card of the United States, the only one with a digit.
    if characters[1] < 10 { return code.hasPrefix("C") ? otherDocument : otherKind }
    let (first, second) = (code.prefix(1), code.suffix(1))
    // Doc 9303-4, 4.2.2.1; Doc 9303-5 and 6, 4.2.2.1: A, C or I.
    let isUsual = isBooklet ? first == "P" : "ACI".contains(first)
    // P with a letter for the kind since 2024 (Doc 9303-4, table 5: PD, PE, PL, PM, PO, PP, PR, PS, PT, PU), PN Russia's
    // internal passport; ID, IR and AR, the letters of identity cards and residence permits.
    let usual = isBooklet ? "<DELMNOPRSTU" : "<DRPCS"
    return (isUsual ? 0 : otherKind) + (usual.contains(second) ? 0 : otherDocument)
  }

  static func state(_ characters: [Int]) -> Float { StateCode.isListed(characters) ? 0 : StateCode.unlisted }

  static func nationality(_ characters: [Int], issuingState: [Int]?) -> Float {
    state(characters) + (characters == issuingState ? StateCode.sameState : 0)
  }
}

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
