// The standard library has no public interface for the normalization forms. The toolchain is pinned.
@_spi(_Unicode) private import Swift

/// The transliteration of names in national characters for the machine readable zone (Doc 9303-3, 4.6 and 6).
package enum Transliteration {
  /// Spells `text` in `A` to `Z`, `0` to `9` and one filler `<` between name components.
  ///
  ///     Transliteration.mrzCharacters(for: "Müller-O'Neil")  // "MUELLER<ONEIL"
  ///
  /// Hyphen, comma and space separate components. Apostrophes and all other punctuation are omitted without a separator
  /// (Doc 9303-3, 4.6). Any other character without a transliteration separates components. Digits remain, although the standard allows
  /// none in a name: the caller must check that.
  ///
  /// The result has no filler at either end and no two in a row. It is empty if no character has a transliteration.
  package static func mrzCharacters(for text: String) -> String {
    text.uppercased()._nfc
      .map(unit(of:))
      .split(separator: .separator)
      .map(component(of:))
      .filter { !$0.isEmpty }
      .joined(separator: "<")
  }

  /// The contribution of one character to its name component.
  private enum Unit: Equatable {
    case letters(String)
    /// Repeats the letters of the character before (shadda).
    case doubling
    case omitted
    case separator
  }

  private static func unit(of scalar: Unicode.Scalar) -> Unit {
    if scalar == shadda { return .doubling }
    if let letters = letters(for: scalar) { return letters.isEmpty ? .omitted : .letters(letters) }
    if apostrophes.contains(scalar) || isCombiningMark(scalar) || isOmittedPunctuation(scalar) { return .omitted }
    if let letters = lettersOfBase(of: scalar) { return .letters(letters) }
    return .separator
  }

  private static func component(of units: ArraySlice<Unit>) -> String {
    var spelling: [String] = []
    for unit in units {
      switch unit {
      case .letters(let letters): spelling.append(letters)
      case .doubling: spelling += spelling.suffix(1)
      case .omitted, .separator: break
      }
    }
    // 6 C, note 2. Vowel signs after the letter are omitted, so the letter still ends the component.
    if spelling.last == tehMarbuta {
      spelling.removeLast()
      spelling.append(finalTehMarbuta)
    }
    return spelling.joined()
  }

  private static func letters(for scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "A"..."Z", "0"..."9": String(scalar)
    default: latin[scalar] ?? cyrillic[scalar] ?? unlistedCyrillic[scalar] ?? arabic[scalar]
    }
  }

  /// The transliteration of the base letter of `scalar`, if `scalar` adds only combining marks to it.
  ///
  /// Removes the marks one by one from the outside, so that Ǖ is transliterated as Ü and not as U.
  private static func lettersOfBase(of scalar: Unicode.Scalar) -> String? {
    var scalars = Array(String(scalar)._nfd)
    while let mark = scalars.popLast(), isCombiningMark(mark) {
      let rest = Array(String(String.UnicodeScalarView(scalars))._nfc)
      if rest.count == 1, let base = rest.first, let letters = letters(for: base) { return letters }
    }
    return nil
  }

  /// Punctuation except the hyphens and the comma.
  private static func isOmittedPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .otherPunctuation: scalar != ","
    case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation: true
    default: false
    }
  }

  private static func isCombiningMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }
}

extension Transliteration {
  /// The apostrophe of Doc 9303-3, 4.6, in the forms that occur in names: typewriter and typographic marks, accents typed instead,
  /// and the modifier letters of romanised names.
  private static let apostrophes: Set<Unicode.Scalar> = [
    "'", "`", "\u{00B4}", "\u{02B9}", "\u{02BB}", "\u{02BC}", "\u{02BD}", "\u{02BE}", "\u{02BF}",
    "\u{2018}", "\u{2019}", "\u{201B}", "\u{2032}", "\u{FF07}",
  ]

  /// Doc 9303-3, 6 A: multinational Latin-based characters.
  ///
  /// The Doc leaves a choice for five letters. The alternatives that are not used here are A for Ä and Å, NXX for Ñ, O
  /// for Ö, UXX and U for Ü.
  private static let latin: [Unicode.Scalar: String] = [
    "À": "A", "Á": "A", "Â": "A", "Ã": "A", "Ā": "A", "Ă": "A", "Ą": "A",
    "Ä": "AE", "Æ": "AE", "Å": "AA",
    "Ç": "C", "Ć": "C", "Ĉ": "C", "Ċ": "C", "Č": "C",
    "Ð": "D", "Ď": "D", "Đ": "D",
    "È": "E", "É": "E", "Ê": "E", "Ë": "E", "Ē": "E", "Ĕ": "E", "Ė": "E", "Ę": "E", "Ě": "E",
    "Ĝ": "G", "Ğ": "G", "Ġ": "G", "Ģ": "G",
    "Ĥ": "H", "Ħ": "H",
    "Ì": "I", "Í": "I", "Î": "I", "Ï": "I", "Ĩ": "I", "Ī": "I", "Ĭ": "I", "Į": "I", "İ": "I",
    "ı": "I", "Ĳ": "IJ", "Ĵ": "J",
    "Ķ": "K",
    "Ĺ": "L", "Ļ": "L", "Ľ": "L", "Ŀ": "L", "Ł": "L",
    "Ñ": "N", "Ń": "N", "Ņ": "N", "Ň": "N", "Ŋ": "N",
    "Ò": "O", "Ó": "O", "Ô": "O", "Õ": "O", "Ō": "O", "Ŏ": "O", "Ő": "O",
    "Ö": "OE", "Ø": "OE", "Œ": "OE",
    "Ŕ": "R", "Ŗ": "R", "Ř": "R",
    "Ś": "S", "Ŝ": "S", "Ş": "S", "Š": "S", "ẞ": "SS",
    "Ţ": "T", "Ť": "T", "Ŧ": "T", "Þ": "TH",
    "Ù": "U", "Ú": "U", "Û": "U", "Ũ": "U", "Ū": "U", "Ŭ": "U", "Ů": "U", "Ű": "U", "Ų": "U",
    "Ü": "UE",
    "Ŵ": "W",
    "Ý": "Y", "Ŷ": "Y", "Ÿ": "Y",
    "Ź": "Z", "Ż": "Z", "Ž": "Z",
  ]

  /// Doc 9303-3, 6 B: Cyrillic characters, default column.
  ///
  /// The exceptions depend on the language of the name and are not applied: Belarusian Г H, Ё IO; Bulgarian Щ SHT;
  /// Macedonian Ғ GJ, Ќ KJ, Х H, Ц C, Џ DJ; Serbian Г H, Ж Z, Х H, Ц C, Ч C, Ш S; Ukrainian Г H, И Y and, as the first
  /// character, Є YE, Ї YI, Й Y, Ю YU, Я YA.
  ///
  /// Where the Doc prints a glyph that does not match its code point (Ћ at U+0402, Ђ; V at U+0474, Ѵ), the code point
  /// is used.
  private static let cyrillic: [Unicode.Scalar: String] = [
    "А": "A", "Б": "B", "В": "V", "Г": "G", "Д": "D", "Е": "E", "Ё": "E", "Ж": "ZH", "З": "Z",
    "И": "I", "Й": "I", "К": "K", "Л": "L", "М": "M", "Н": "N", "О": "O", "П": "P", "Р": "R",
    "С": "S", "Т": "T", "У": "U", "Ф": "F", "Х": "KH", "Ц": "TS", "Ч": "CH", "Ш": "SH",
    "Щ": "SHCH", "Ъ": "IE", "Ы": "Y", "Э": "E", "Ю": "IU", "Я": "IA",
    // Ukrainian and Belarusian; Serbian and Macedonian; others.
    "Ґ": "G", "Є": "IE", "І": "I", "Ї": "I", "Ў": "U",
    "Ђ": "D", "Ѕ": "DZ", "Ј": "J", "Ќ": "K", "Љ": "LJ", "Њ": "NJ", "Џ": "DZ",
    "Ғ": "G", "Һ": "C", "Ѫ": "U", "Ѵ": "Y",
  ]

  /// Cyrillic letters that 6 B does not list, but that are too common in names to be replaced by a filler.
  ///
  /// Implementations omit the soft sign. Ћ is transliterated as 6 A does with Ć, its Serbian Latin form.
  private static let unlistedCyrillic: [Unicode.Scalar: String] = ["Ь": "", "Ћ": "C"]

  private static let shadda: Unicode.Scalar = "\u{0651}"
  private static let tehMarbuta = "XTA"
  private static let finalTehMarbuta = "XAH"

  /// Doc 9303-3, 6 C: Arabic script, with `X` as the escape before one or two letters.
  ///
  /// Written as code points, since several letters look alike in print, also in the Doc, and would reverse the
  /// direction of the lines. An empty string is the Doc's "not encoded".
  private static let arabic: [Unicode.Scalar: String] = [
    // Hamza, and alef, waw and yeh with madda or hamza.
    "\u{0621}": "XE", "\u{0622}": "XAA", "\u{0623}": "XAE", "\u{0624}": "U", "\u{0625}": "I",
    "\u{0626}": "XI",
    // Alef to khah.
    "\u{0627}": "A", "\u{0628}": "B", "\u{0629}": tehMarbuta, "\u{062A}": "T", "\u{062B}": "XTH",
    "\u{062C}": "J", "\u{062D}": "XH", "\u{062E}": "XKH",
    // Dal to sheen.
    "\u{062F}": "D", "\u{0630}": "XDH", "\u{0631}": "R", "\u{0632}": "Z", "\u{0633}": "S",
    "\u{0634}": "XSH",
    // Sad to ghain.
    "\u{0635}": "XSS", "\u{0636}": "XDZ", "\u{0637}": "XTT", "\u{0638}": "XZZ", "\u{0639}": "E",
    "\u{063A}": "G",
    // Feh to yeh.
    "\u{0641}": "F", "\u{0642}": "Q", "\u{0643}": "K", "\u{0644}": "L", "\u{0645}": "M",
    "\u{0646}": "N", "\u{0647}": "H", "\u{0648}": "W", "\u{0649}": "XAY", "\u{064A}": "Y",
    // Tatweel, the vowel signs with sukun, superscript alef.
    "\u{0640}": "", "\u{064B}": "", "\u{064C}": "", "\u{064D}": "", "\u{064E}": "", "\u{064F}": "",
    "\u{0650}": "", "\u{0652}": "", "\u{0670}": "",
    // Alef wasla; tteh, teh with ring, peh; hah with hamza, hah with three dots, tcheh.
    "\u{0671}": "XXA", "\u{0679}": "XXT", "\u{067C}": "XRT", "\u{067E}": "P", "\u{0681}": "XKE",
    "\u{0685}": "XXH", "\u{0686}": "XC",
    // Ddal, dal with ring; rreh, reh with ring, reh with two dots, jeh; seen with two dots.
    "\u{0688}": "XXD", "\u{0689}": "XDR", "\u{0691}": "XXR", "\u{0693}": "XRR", "\u{0696}": "XRX",
    "\u{0698}": "XJ", "\u{069A}": "XXS",
    // Keheh, kaf with ring, ng, gaf; noon ghunna, noon with ring.
    "\u{06A9}": "XKK", "\u{06AB}": "XXK", "\u{06AD}": "XNG", "\u{06AF}": "XGG", "\u{06BA}": "XNN",
    "\u{06BC}": "XXN",
    // Heh doachashmee, heh with yeh above, heh goal, the same with hamza, teh marbuta goal.
    "\u{06BE}": "XDO", "\u{06C0}": "XYH", "\u{06C1}": "XXG", "\u{06C2}": "XGE", "\u{06C3}": "XTG",
    // Farsi yeh, yeh with tail, Pashto yeh, yeh barree, the same with hamza.
    "\u{06CC}": "XYA", "\u{06CD}": "XXY", "\u{06D0}": "Y", "\u{06D2}": "XYB", "\u{06D3}": "XBE",
    // The obsolete letters of the Maghreb.
    "\u{069C}": "", "\u{06A2}": "", "\u{06A7}": "", "\u{06A8}": "",
    // Veh and feh with three dots below, for foreign names: only in appendix B.5.4.
    "\u{06A4}": "V", "\u{06A5}": "XF",
  ]
}
