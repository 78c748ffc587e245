import ReRune

/// The language and the region of the person, by the environment.
struct SystemLocale: Sendable, Equatable {
  /// For example `de-AT`.
  let tag: String
  /// For example `de_AT`.
  let name: String
  /// For example `de`.
  let language: String
  /// For example `AT`; nil if the environment names none.
  let region: String?

  init(_ environment: [String: String]) { self.init(LocaleChain(environment: environment)) }

  /// - Parameter name: a tag or the name of a locale, for example `de-AT` or `de_AT.UTF-8`.
  init(_ name: String) { self.init(LocaleChain(name)) }

  private init(_ chain: LocaleChain) {
    tag = chain.tags.first?.text ?? "en"
    let parts = tag.split(separator: "-")
    let language = String(parts.first ?? "en")
    let region = parts.dropFirst().first { $0.utf8.count == 2 || $0.utf8.count == 3 }.map(String.init)
    name = region.map { "\(language)_\($0)" } ?? language
    self.language = language
    self.region = region
  }
}
