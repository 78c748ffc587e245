internal import TesseraJSON

/// What the window of a kiosk says in place of a page that is gone or on its way, in the language of the page's start.
package struct KioskNotice: Sendable, Equatable {
  package let title: String
  package let message: String
  package let button: String

  /// - Parameters:
  ///   - theme: nil for the page's own words.
  ///   - environment: `LC_ALL`, `LC_MESSAGES` and `LANG` name the language, unless the theme does.
  package init(_ theme: KioskTheme?, _ environment: [String: String]) {
    var all = PageWords.languages
    if case .object(let languages)? = theme?.about["words"] {
      for language in languages.members {
        guard case .object(let texts) = language.value else { continue }
        let tag = language.name.lowercased()
        for text in texts.members { all[tag, default: PageWords.english][text.name] = text.value }
      }
    }
    let language = theme?.about["language"]?.stringValue ?? Self.language(environment)
    let texts = ThemeWords.best(language, of: Array(all.keys)).flatMap { all[$0] } ?? PageWords.english
    title = texts["oneMoment"]?.stringValue ?? ""
    message = texts["startsAgain"]?.stringValue ?? ""
    button = texts["tryAgain"]?.stringValue ?? ""
  }

  /// The language tag of a locale such as `de_DE.UTF-8` (locale(7)).
  private static func language(_ environment: [String: String]) -> String {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    return String(locale.prefix { $0 != "." && $0 != "@" }).replacing("_", with: "-")
  }
}
