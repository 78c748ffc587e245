/// The tags in which a text is looked up, the most specific one first: `zh-Hant-TW`, `zh-Hant`, `zh`.
///
/// The script follows from the region where another one is usual without it: `zh-TW`, `zh-Hant`, `zh` (CLDR's likely
/// subtags). Only the first language that the user prefers counts.
package struct LocaleChain: Sendable, Equatable {
  package let tags: [LocaleTag]

  /// No tag of a user has more parts; one of a hostile server must not cause more requests.
  private static let maximumCount = 8

  /// - Parameter tag: nil for English.
  package init(_ tag: LocaleTag?) {
    var tags: [LocaleTag] = []
    var next = tag ?? LocaleTag("en")
    while let tag = next {
      tags += [tag] + [LocaleParts(tag).parent.flatMap { LocaleTag($0) }].compactMap(\.self)
      next = tag.parent
    }
    // A reader of Nynorsk reads Bokmål rather than English (CLDR: both are children of `no`).
    if tags.last?.text == "nn" { tags += [LocaleTag("nb")].compactMap(\.self) }
    self.tags = Array(tags.suffix(Self.maximumCount))
  }

  /// The chain of a tag that the caller chose; English for a text that is no tag, and for the locales `C` and `POSIX`.
  package init(_ text: String) { self.init(Self.isPOSIX(text) ? nil : LocaleTag(text)) }

  /// The chain of the user's language, by the rules of gettext: the first non-empty one of `LC_ALL`, `LC_MESSAGES`
  /// and `LANG` is the locale. If it is not `C`, the first language of `LANGUAGE` takes precedence.
  ///
  /// Foundation's preferred languages ignore these variables on Linux.
  package init(environment: [String: String]) {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let languages = (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap { LocaleTag($0) }
    self.init(Self.isPOSIX(locale) ? nil : languages.first ?? LocaleTag(locale))
  }

  /// `C`, also with a codeset, and `POSIX`. No locale at all is the locale `C` (POSIX, 8.2).
  private static func isPOSIX(_ text: String) -> Bool {
    let name = text.prefix { $0 != "." && $0 != "@" }
    return name.isEmpty || name == "C" || name == "POSIX"
  }

  /// Those of the available tags whose texts the user reads, the most specific one first. For each tag of the chain
  /// its own spelling comes before another one of the same texts, as `zh-Hant` for `zh-TW` or `iw` for `he`. Another
  /// spelling must have the script of the user: after `zh-Hant` comes `zh`, but not `zh-Hans`.
  ///
  /// - Returns: at most eight tags, each once.
  package func matches(in available: some Sequence<LocaleTag>) -> [LocaleTag] {
    Array(groups(in: available).joined().prefix(Self.maximumCount))
  }

  /// The tags of `matches`, with those of the same texts together.
  package func groups(in available: some Sequence<LocaleTag>) -> [[LocaleTag]] {
    var rest = Dictionary(grouping: available) { LocaleParts($0).likely }
    let script = tags.first.flatMap { LocaleParts($0).likely.script }
    return tags.compactMap { tag in
      let parts = LocaleParts(tag).likely
      let (own, others) = (rest[parts]?.filter { $0 == tag } ?? [], rest[parts]?.filter { $0 != tag } ?? [])
      let found = own.prefix(1) + (parts.script == script ? others.sorted { $0.text < $1.text } : [])
      rest[parts] = parts.script == script ? nil : others
      return found.isEmpty ? nil : Array(found)
    }
  }
}
