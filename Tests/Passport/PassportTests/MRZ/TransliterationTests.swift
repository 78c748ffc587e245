import Testing

@testable import TesseraPassport

/// Expected values come from Doc 9303-3 (eighth edition) where a comment names a clause of it, else
/// from the tests of the implementation that a comment names.
struct TransliterationTests {
  // MARK: The tables, row by row in the order of the Doc

  @Test(
    "Transliterates every row of 6 A",
    arguments: [
      (0x00C0, "A"), (0x00C1, "A"), (0x00C2, "A"), (0x00C3, "A"), (0x00C4, "AE"), (0x00C5, "AA"),
      (0x00C6, "AE"), (0x00C7, "C"), (0x00C8, "E"), (0x00C9, "E"), (0x00CA, "E"), (0x00CB, "E"),
      (0x00CC, "I"), (0x00CD, "I"), (0x00CE, "I"), (0x00CF, "I"), (0x00D0, "D"), (0x00D1, "N"),
      (0x00D2, "O"), (0x00D3, "O"), (0x00D4, "O"), (0x00D5, "O"), (0x00D6, "OE"), (0x00D8, "OE"),
      (0x00D9, "U"), (0x00DA, "U"), (0x00DB, "U"), (0x00DC, "UE"), (0x00DD, "Y"), (0x00DE, "TH"),
      (0x0100, "A"), (0x0102, "A"), (0x0104, "A"), (0x0106, "C"), (0x0108, "C"), (0x010A, "C"),
      (0x010C, "C"), (0x010E, "D"), (0x0110, "D"), (0x0112, "E"), (0x0114, "E"), (0x0116, "E"),
      (0x0118, "E"), (0x011A, "E"), (0x011C, "G"), (0x011E, "G"), (0x0120, "G"), (0x0122, "G"),
      (0x0124, "H"), (0x0126, "H"), (0x0128, "I"), (0x012A, "I"), (0x012C, "I"), (0x012E, "I"),
      (0x0130, "I"), (0x0131, "I"), (0x0132, "IJ"), (0x0134, "J"), (0x0136, "K"), (0x0139, "L"),
      (0x013B, "L"), (0x013D, "L"), (0x013F, "L"), (0x0141, "L"), (0x0143, "N"), (0x0145, "N"),
      (0x0147, "N"), (0x014A, "N"), (0x014C, "O"), (0x014E, "O"), (0x0150, "O"), (0x0152, "OE"),
      (0x0154, "R"), (0x0156, "R"), (0x0158, "R"), (0x015A, "S"), (0x015C, "S"), (0x015E, "S"),
      (0x0160, "S"), (0x0162, "T"), (0x0164, "T"), (0x0166, "T"), (0x0168, "U"), (0x016A, "U"),
      (0x016C, "U"), (0x016E, "U"), (0x0170, "U"), (0x0172, "U"), (0x0174, "W"), (0x0176, "Y"),
      (0x0178, "Y"), (0x0179, "Z"), (0x017B, "Z"), (0x017D, "Z"), (0x1E9E, "SS"),
    ] as [(UInt32, String)])
  func latinRow(codePoint: UInt32, expected: String) throws {
    try expectRow(codePoint, expected)
  }

  @Test(
    "Transliterates every row of 6 B by its default column",
    arguments: [
      (0x0401, "E"), (0x0402, "D"), (0x0404, "IE"), (0x0405, "DZ"), (0x0406, "I"), (0x0407, "I"),
      (0x0408, "J"), (0x0409, "LJ"), (0x040A, "NJ"), (0x040C, "K"), (0x040E, "U"), (0x040F, "DZ"),
      (0x0410, "A"), (0x0411, "B"), (0x0412, "V"), (0x0413, "G"), (0x0414, "D"), (0x0415, "E"),
      (0x0416, "ZH"), (0x0417, "Z"), (0x0418, "I"), (0x0419, "I"), (0x041A, "K"), (0x041B, "L"),
      (0x041C, "M"), (0x041D, "N"), (0x041E, "O"), (0x041F, "P"), (0x0420, "R"), (0x0421, "S"),
      (0x0422, "T"), (0x0423, "U"), (0x0424, "F"), (0x0425, "KH"), (0x0426, "TS"), (0x0427, "CH"),
      (0x0428, "SH"), (0x0429, "SHCH"), (0x042A, "IE"), (0x042B, "Y"), (0x042D, "E"),
      (0x042E, "IU"), (0x042F, "IA"), (0x046A, "U"), (0x0474, "Y"), (0x0490, "G"), (0x0492, "G"),
      (0x04BA, "C"),
    ] as [(UInt32, String)])
  func cyrillicRow(codePoint: UInt32, expected: String) throws {
    try expectRow(codePoint, expected)
  }

  /// Teh marbuta and shadda, which depend on adjacent characters, have separate tests. Veh and feh
  /// with three dots below are in appendix B.5.4.
  @Test(
    "Transliterates every row of 6 C",
    arguments: [
      (0x0621, "XE"), (0x0622, "XAA"), (0x0623, "XAE"), (0x0624, "U"), (0x0625, "I"),
      (0x0626, "XI"), (0x0627, "A"), (0x0628, "B"), (0x062A, "T"), (0x062B, "XTH"), (0x062C, "J"),
      (0x062D, "XH"), (0x062E, "XKH"), (0x062F, "D"), (0x0630, "XDH"), (0x0631, "R"), (0x0632, "Z"),
      (0x0633, "S"), (0x0634, "XSH"), (0x0635, "XSS"), (0x0636, "XDZ"), (0x0637, "XTT"),
      (0x0638, "XZZ"), (0x0639, "E"), (0x063A, "G"), (0x0640, ""), (0x0641, "F"), (0x0642, "Q"),
      (0x0643, "K"), (0x0644, "L"), (0x0645, "M"), (0x0646, "N"), (0x0647, "H"), (0x0648, "W"),
      (0x0649, "XAY"), (0x064A, "Y"), (0x064B, ""), (0x064C, ""), (0x064D, ""), (0x064E, ""),
      (0x064F, ""), (0x0650, ""), (0x0652, ""), (0x0670, ""), (0x0671, "XXA"), (0x0679, "XXT"),
      (0x067C, "XRT"), (0x067E, "P"), (0x0681, "XKE"), (0x0685, "XXH"), (0x0686, "XC"),
      (0x0688, "XXD"), (0x0689, "XDR"), (0x0691, "XXR"), (0x0693, "XRR"), (0x0696, "XRX"),
      (0x0698, "XJ"), (0x069A, "XXS"), (0x069C, ""), (0x06A2, ""), (0x06A4, "V"), (0x06A5, "XF"),
      (0x06A7, ""), (0x06A8, ""), (0x06A9, "XKK"), (0x06AB, "XXK"), (0x06AD, "XNG"),
      (0x06AF, "XGG"), (0x06BA, "XNN"), (0x06BC, "XXN"), (0x06BE, "XDO"), (0x06C0, "XYH"),
      (0x06C1, "XXG"), (0x06C2, "XGE"), (0x06C3, "XTG"), (0x06CC, "XYA"), (0x06CD, "XXY"),
      (0x06D0, "Y"), (0x06D2, "XYB"), (0x06D3, "XBE"),
    ] as [(UInt32, String)])
  func arabicRow(codePoint: UInt32, expected: String) throws {
    try expectRow(codePoint, expected)
  }

  /// The letter is between two others, so that a filler for an empty transliteration is detected.
  private func expectRow(_ codePoint: UInt32, _ expected: String) throws {
    let letter = try #require(Unicode.Scalar(codePoint))
    #expect(Transliteration.mrzCharacters(for: "Q\(letter)Q") == "Q\(expected)Q")
    let lowercase = letter.properties.lowercaseMapping
    #expect(Transliteration.mrzCharacters(for: "Q\(lowercase)Q") == "Q\(expected)Q")
  }

  // MARK: Names

  @Test(
    "Latin names",
    arguments: [
      // Doc 9303-3, appendix B.4.1, which takes the other choice for Ñ (CANXXON).
      ("Térèsa CAÑON", "TERESA<CANON"),
      // DIGGSweden dgc-java, MrzEncoderTest.
      ("Lindström", "LINDSTROEM"), ("Karl Åke", "KARL<AAKE"), ("Karl-Åke", "KARL<AAKE"),
      ("André", "ANDRE"), ("O'Leary", "OLEARY"), ("Àérge", "AERGE"), ("BŒße", "BOESSE"),
      ("Bœße", "BOESSE"), ("Ðan", "DAN"), ("Žlatan", "ZLATAN"),
      // Arg0s1080/mrz, documentation test of `transliterate`.
      ("Þĩŝ ïŜ Á ţęšť", "THIS<IS<A<TEST"),
      // Lingua::Multinational::Translit::ICAO, t/t2.t.
      ("Œthel", "OETHEL"), ("æon", "AEON"), ("phœnix", "PHOENIX"), ("Gæa", "GAEA"),
    ])
  func latinName(name: String, expected: String) {
    #expect(Transliteration.mrzCharacters(for: name) == expected)
  }

  @Test(
    "Cyrillic names",
    arguments: [
      // Lingua::Cyrillic::Translit::ICAO, t/t2.t.
      ("йцукен", "ITSUKEN"), ("пароль", "PAROL"), ("Трушель", "TRUSHEL"),
      // kalenchukov/Transliteration, test of ICAO Doc 9303.
      ("Эй, жлоб! Где туз?", "EI<ZHLOB<GDE<TUZ"),
      ("Прячь юных съёмщиц в шкаф.", "PRIACH<IUNYKH<SIEEMSHCHITS<V<SHKAF"),
      // nalgeon/iuliia, schema icao_doc_9303.
      ("Юлия Щеглова", "IULIIA<SHCHEGLOVA"),
      // SynthPass, crates/mrz/src/translit.rs, language Russian.
      ("Иванов", "IVANOV"),
      // The tests that come with a TypeScript `transliterate` ("ICAO 9303-3 §6").
      ("Объедков", "OBIEEDKOV"), ("ЕВГЕНЬЕВИЧ", "EVGENEVICH"), ("Ђорђе Ћирић", "DORDE<CIRIC"),
      ("Ѓорѓи Љубомир Његош Џамбаз", "GORGI<LJUBOMIR<NJEGOSH<DZAMBAZ"),
      ("Євген Їжакевич Ґалаґан", "IEVGEN<IZHAKEVICH<GALAGAN"),
      ("Ўладзімір Іванавіч Шэршань", "ULADZIMIR<IVANAVICH<SHERSHAN"),
      ("PETER ИГОРЕВИЧ NOVAK", "PETER<IGOREVICH<NOVAK"),
    ])
  func cyrillicName(name: String, expected: String) {
    #expect(Transliteration.mrzCharacters(for: name) == expected)
  }

  @Test(
    "Arabic names",
    arguments: [
      // Doc 9303-3, appendix B.5.7.
      ("ابو بكر محمد بن زكريا الرازي", "ABW<BKR<MXHMD<BN<ZKRYA<ALRAZY"),
      // Doc 9303-3, appendix B.5.9: whole rows, then components of rows of which the rest is in
      // another order, with other spaces or otherwise not as the Arabic column has it.
      ("سمير بادمكدوذيل", "SMYR<BADMKDWXDHYL"), ("جمال عبد الناصر", "JMAL<EBD<ALNAXSSR"),
      ("العباس", "ALEBAS"), ("السفاح", "ALSFAXH"), ("عمر بن الحسين", "EMR<BN<ALXHSYN"),
      ("إسماعيل", "ISMAEYL"), ("متعب", "MTEB"),
      // Arg0s1080/mrz, test of the TD3 generator.
      ("محمود عبدالرحيم", "MXHMWD<EBDALRXHYM"),
      // The tests that come with a TypeScript `transliterate` ("ICAO 9303-3 §6").
      ("ناصر", "NAXSSR"), ("علي", "ELY"), ("كـمـال", "KMAL"),
      // The tests that come with a Python `transliterate_name` ("Tablo C").
      ("پرویز", "PRWXYAZ"), ("محـــمد", "MXHMD"), ("Ali محمد", "ALI<MXHMD"),
    ])
  func arabicName(name: String, expected: String) {
    #expect(Transliteration.mrzCharacters(for: name) == expected)
  }

  @Test(
    "Shadda repeats the transliteration of its letter, whatever vowel sign is between them",
    arguments: [
      // Doc 9303-3, 6 C, note 3.
      ("عبّاس", "EBBAS"), ("فضّة", "FXDZXDZXAH"),
      // The tests that come with a Python `transliterate_name` ("Tablo C").
      ("مُحَمَّد", "MXHMMD"), ("ّب ّ", "B"),
    ])
  func shadda(name: String, expected: String) {
    #expect(Transliteration.mrzCharacters(for: name) == expected)
  }

  @Test(
    "Teh marbuta is XAH at the end of a component and XTA elsewhere",
    arguments: [
      // Doc 9303-3, appendix B.5.9, in the order of the Arabic column.
      ("نعيمة جميلة", "NEYMXAH<JMYLXAH"),
      // The tests that come with a TypeScript `transliterate` ("ICAO 9303-3 §6").
      ("فاطمة", "FAXTTMXAH"), ("فاطمة-علي", "FAXTTMXAH<ELY"), ("ةا", "XTAA"),
      // The tests that come with a Python `transliterate_name` ("Tablo C").
      ("فاطمة الزهراء", "FAXTTMXAH<ALZHRAXE"), ("فاطمةً", "FAXTTMXAH"), ("ةم", "XTAM"),
    ])
  func tehMarbuta(name: String, expected: String) {
    #expect(Transliteration.mrzCharacters(for: name) == expected)
  }

  // MARK: Punctuation and fillers

  @Test(
    "Apostrophes join, hyphens, commas and spaces separate",
    arguments: [
      // Doc 9303-3, 4.6, but that the comma between the two identifiers is `<<` there.
      ("D'ARTAGNAN", "DARTAGNAN"), ("MARIE-ELISE", "MARIE<ELISE"), ("ANNA, MARIA", "ANNA<MARIA"),
      ("ERIKSSON, ANNA MARIA", "ERIKSSON<ANNA<MARIA"),
      // The tests that come with a TypeScript `transliterate` ("ICAO 9303-3 §6").
      ("D’Souza", "DSOUZA"), ("N`Dour", "NDOUR"), ("Saʼid", "SAID"), ("Mary–Ann", "MARY<ANN"),
      ("  Jane \t  Doe ", "JANE<DOE"), ("Nadim S. Al-Dajani", "NADIM<S<AL<DAJANI"),
      ("Kanniappan, Jr", "KANNIAPPAN<JR"),
    ])
  func punctuation(name: String, expected: String) {
    #expect(Transliteration.mrzCharacters(for: name) == expected)
  }

  /// Rules of this function, not of the Doc.
  @Test(
    "Characters without a transliteration become a single filler, and none at either end",
    arguments: [
      ("", ""), (" ", ""), ("<<<", ""), ("'", ""), ("\u{064E}", ""), ("王小明", ""),
      ("ANNA<<MARIA<", "ANNA<MARIA"), ("- A -", "A"), ("A.B", "AB"), ("(ANNA)", "ANNA"), ("A \u{064E} B", "A<B"),
      ("A王B", "A<B"), ("L898902C", "L898902C"), ("Ə", ""), ("A\u{0301}\u{20DD}B", "AB"),
    ])
  func fillers(name: String, expected: String) {
    #expect(Transliteration.mrzCharacters(for: name) == expected)
  }

  // MARK: Unicode

  @Test(
    "Combining marks count as part of their letter",
    arguments: [
      // The tests that come with a TypeScript `transliterate` ("ICAO 9303-3 §6").
      ("Jose\u{0301}", "JOSE"), ("Mu\u{0308}ller", "MUELLER"), ("Za\u{0301}kharov", "ZAKHAROV"),
      ("Ștefan Țepeș", "STEFAN<TEPES"), ("Yiǧidoǧlu", "YIGIDOGLU"),
      // The tests that come with a Python `transliterate_name` ("Tablo B").
      ("Ѝван Ӣсмоил", "IVAN<ISMOIL"),
    ])
  func combiningMarks(name: String, expected: String) {
    #expect(Transliteration.mrzCharacters(for: name) == expected)
  }

  /// A rule of this function: after each removed mark, the remaining letter is looked up before the next is removed.
  @Test(
    "Transliterates a letter with several marks as the nearest letter of the table",
    arguments: [
      ("Ǖ", "UE"), ("Ǟ", "AE"), ("Ǻ", "AA"), ("Ǿ", "OE"), ("Ấ", "A"), ("Ợ", "O"), ("Ữ", "U"),
      ("\u{212B}", "AA"), ("i\u{0307}", "I"), ("\u{06D5}\u{0654}", "XYH"),
      ("\u{06D2}\u{0654}", "XBE"),
    ])
  func severalMarks(letter: String, expected: String) {
    #expect(Transliteration.mrzCharacters(for: letter) == expected)
  }
}
