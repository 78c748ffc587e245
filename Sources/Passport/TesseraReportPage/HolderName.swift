/// A name of DG11 (Doc 9303-10, 4.7.11): `<<` between the identifiers, `<` between the words of one.
struct HolderName {
  let primary: String
  /// Empty for a single name.
  let secondary: String

  init(_ text: String) {
    let parts = text.firstRange(of: "<<").map { (text[..<$0.lowerBound], text[$0.upperBound...]) } ?? (text[...], "")
    primary = Self.words(parts.0)
    secondary = Self.words(parts.1)
  }

  /// Both identifiers, separated by a comma.
  var text: String { secondary.isEmpty ? primary : "\(primary), \(secondary)" }

  private static func words(_ text: Substring) -> String { text.split(separator: "<").joined(separator: " ") }
}

/// A place or an address of DG11 or DG12: `<` between its lines.
enum HolderAddress {
  static func text(_ text: String) -> String { text.split(separator: "<").joined(separator: ", ") }
}

/// The language of the texts in the holder's script. Chinese and Japanese share characters that are drawn differently,
/// so a browser needs it to choose the font.
enum HolderLanguage {
  /// - Parameter state: three letters of the MRZ.
  static func attribute(issuingState state: String) -> Attribute {
    switch state {
    case "CHN": .lang("zh-Hans")
    case "TWN", "HKG", "MAC": .lang("zh-Hant")
    case "JPN": .lang("ja")
    case "KOR", "PRK": .lang("ko")
    default: .lang("")
    }
  }
}
