internal import TesseraJSON
import TesseraLocales

/// The locale of a page: which translation it shows, and its language and direction.
package struct PageLocale {
  /// The tag, for example `de-AT`; empty if there is none.
  let name: String
  private let tags: LocaleChain?

  /// - Parameter name: a tag, or the name of a POSIX locale, for example `de_AT.UTF-8`.
  init(_ name: String) {
    tags = LocaleTag(name).map { LocaleChain($0) }
    self.name = tags?.tags.first?.text ?? ""
  }

  /// The name of the translation in the form of the map, by the tags of the locale; nil if there is none. The page finds
  /// it by the same rule (`translations.js`).
  func translation(in names: some Collection<String>) -> String? {
    var spellings: [LocaleTag: String] = [:]
    for name in names {
      // Several spellings of one locale: always the same of them.
      if let tag = LocaleTag(name) { spellings[tag] = min(name, spellings[tag] ?? name) }
    }
    return tags?.matches(in: spellings.keys).first.flatMap { spellings[$0] }
  }

  /// The language of the page as an attribute, for example `de-AT`; nil if it is not known: the page has translations,
  /// and none is for this locale.
  func tag(translations: some Collection<String>) -> String? {
    let name = translations.isEmpty ? name : translation(in: translations)
    let tag = name.map { String($0.map { $0 == "_" ? "-" : $0 }) } ?? ""
    return !tag.isEmpty && tag.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") } ? tag : nil
  }
}
