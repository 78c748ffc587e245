/// The tags in which a text is looked up, the most specific one first: `zh-Hant-TW`, `zh-Hant`, `zh`.
///
/// Only the first language that the person prefers counts, and no default language follows: a person in Austria whose
/// server has English only reads the bundled German texts.
package struct LocaleChain: Sendable, Equatable {
  package let tags: [LocaleTag]

  /// No tag of a person has more parts; one of a hostile server must not cause more requests.
  private static let maximumCount = 8

  private static let english = "en"

  package init(_ tag: LocaleTag) {
    self.init(optional: tag)
  }

  private init(optional tag: LocaleTag?) {
    let all = tag.map { Array(sequence(first: $0, next: \.parent)) } ?? []
    tags = Array(all.suffix(Self.maximumCount))
  }

  /// The chain of a tag that the caller chose; English for a text that is no tag, and for the locales `C` and `POSIX`.
  package init(_ text: String) {
    let tag = Self.isPOSIX(text) ? nil : LocaleTag(text)
    self.init(optional: tag ?? LocaleTag(Self.english))
  }

  /// The chain of the person's language, by the rules of gettext: the first non-empty one of `LC_ALL`, `LC_MESSAGES`
  /// and `LANG` is the locale. If it is not `C`, the first language of `LANGUAGE` takes precedence.
  ///
  /// Foundation's preferred languages ignore these variables on Linux.
  package init(environment: [String: String]) {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    guard !Self.isPOSIX(locale) else {
      self.init(Self.english)
      return
    }
    let languages = (environment["LANGUAGE"] ?? "").split(separator: ":")
    self.init(languages.lazy.first { LocaleTag($0) != nil }.map(String.init) ?? locale)
  }

  /// `C`, also with a codeset, and `POSIX`. No locale at all is the locale `C` (POSIX, 8.2).
  private static func isPOSIX(_ text: String) -> Bool {
    let name = text.prefix { $0 != "." && $0 != "@" }
    return name.isEmpty || name == "C" || name == "POSIX"
  }
}
