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
