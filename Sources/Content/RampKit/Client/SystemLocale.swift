import TesseraLocales

/// The language and the region of the user, by the environment.
struct SystemLocale: Sendable, Equatable {
  /// For example `de-AT`.
  let tag: String
  /// For example `de_AT`.
  let name: String
  /// For example `de`.
  let language: String
  /// For example `AT`; nil if the environment names none.
  let region: String?

  init(_ environment: [String: String]) {
    // `LANGUAGE` often names a language alone; the region is then that of the locale.
    var withoutLanguage = environment
    withoutLanguage["LANGUAGE"] = nil
    self.init(
      LocaleChain(environment: environment).tags.first, regionOf: LocaleChain(environment: withoutLanguage).tags.first)
  }

  /// - Parameter name: a tag or the name of a locale, for example `de-AT` or `de_AT.UTF-8`.
  init(_ name: String) { self.init(LocaleChain(name).tags.first, regionOf: nil) }

  private init(_ tag: LocaleTag?, regionOf other: LocaleTag?) {
    let text = tag?.text ?? "en"
    let language = tag?.language ?? "en"
    let region = tag?.region ?? other?.region
    self.tag = text
    self.language = language
    self.region = region
    name = region.map { "\(language)_\($0)" } ?? language
  }
}
