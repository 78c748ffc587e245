import TesseraLocales
import Testing

@testable import ReRune

/// Which language a text comes from, and which form of it a number has.
@Suite("languages of texts") struct LanguageTests {
  @Test(
    "the user's language by its likely script and its other names, for texts of the server and of the program",
    arguments: [
      ("zh_TW.UTF-8", "zh-Hant", "zh-Hans"), ("zh_HK", "zh-Hant", "zh-CN"), ("zh-Hant-TW", "zh-Hant", "en"),
      ("zh_CN", "zh-Hans", "zh-Hant"), ("zh_TW", "zh", "en"), ("sr_ME", "sr-Latn", "sr-Cyrl"),
      ("sr_RS@latin", "sr-Latn", "sr-Cyrl"), ("sr_RS", "sr-Cyrl", "sr-Latn"), ("az_AZ", "az-Latn", "az-Cyrl"),
      ("uz_AF", "uz-Arab", "uz-Latn"), ("pa_PK", "pa-Arab", "pa-Guru"), ("nb_NO", "no", "en"), ("no_NO", "nb", "en"),
      ("he_IL", "iw", "en"), ("iw_IL", "he", "en"), ("id_ID", "in", "en"), ("in", "id", "en"), ("fil_PH", "tl", "en"),
      ("tl_PH", "fil", "en"), ("es_MX", "es-419", "es"), ("de_AT", "de-DE", "en"),
    ])
  func languages(_ own: String, _ right: String, _ wrong: String) async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"revision": 1, "locales": ["\#(wrong)", "\#(right)"]}"#)
    lab.server.publishTexts(right, #"{"a": "right"}"#, etag: nil)
    lab.server.publishTexts(wrong, #"{"a": "wrong", "c": "wrong"}"#, etag: nil)
    try lab.bundle("b = right;", right.replacing("-", with: "_"))
    try lab.bundle("b = wrong;", wrong)
    let strings = try lab.strings(own)
    _ = await strings.checkForUpdates()
    #expect(strings.text("a").text == "right")
    #expect(strings.text("b").text == "right")
    // The next process finds them in the cache.
    #expect(try lab.strings(own).text("a").text == "right")
  }

  @Test("the order since 1.5: for each tag the text of the server, then the bundled one; then the main language")
  func order() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(
      #"{"version": 1, "main_language": "en", "locales": {"de": null, "en": null, "de-AT": null}}"#)
    lab.server.publishTexts("de-AT", #"{"1": "update de-AT"}"#, etag: nil)
    lab.server.publishTexts("de", #"{"1": "", "2": "update de", "3": "update de"}"#, etag: nil)
    lab.server.publishTexts(
      "en", #"{"1": "", "2": "", "3": "", "4": "", "5": "update en", "6": "update en"}"#, etag: nil)
    for (tag, keys) in [("de-AT", 1...2), ("de", 1...4), ("en", 1...6), ("Base", 1...7)] {
      try lab.bundle(keys.map { "\"\($0)\" = \"bundled \(tag)\";" }.joined(), tag)
    }
    let strings = try lab.strings()
    #expect(await strings.checkForUpdates().updatedLocales == ["de", "de-AT", "en"])
    for strings in [strings, try lab.strings()] {
      #expect(
        (1...7).map { strings.text("\($0)").text } == [
          "update de-AT", "bundled de-AT", "update de", "bundled de", "update en", "update en", "bundled Base",
        ])
    }
  }

  @Test("without a main language no other language follows; one that the server does not have is no list")
  func mainLanguage() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"version": 1, "main_language": null, "locales": {"en": null}}"#)
    lab.server.publishTexts("en", #"{"a": "English"}"#, etag: nil)
    let strings = try lab.strings("de")
    #expect(await strings.checkForUpdates().status == .noChange)
    #expect(strings.text("a").source == .key)
    for main in [#""fr""#, "7", #""""#] {
      lab.server.publishManifest(#"{"version": 2, "main_language": \#(main), "locales": {"en": null}}"#, etag: nil)
      #expect(await strings.checkForUpdates().status == .failed, "\(main)")
    }
    lab.server.publishManifest(#"{"version": 2, "main_language": "EN_us", "locales": {"en": null}}"#, etag: nil)
    #expect(await strings.checkForUpdates().status == .updated)
    #expect(strings.text("a").text == "English")
  }

  // MARK: - Forms

  private static func catalog(_ key: String, _ language: String, _ forms: [(String, String)]) -> String {
    let units = forms.map { #""\#($0)": {"stringUnit": {"value": "\#($1)"}}"# }.joined(separator: ", ")
    return #"""
      {"sourceLanguage": "en", "strings": {"\#(key)": {"localizations": {"\#(language)": {"variations": {"plural": {\#(units)}}}}}}}
      """#
  }

  @Test("the form of a number is that of the text's language")
  func forms() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"version": 1, "main_language": "en", "locales": {"ru": null, "en": null}}"#)
    lab.server.publishTexts(
      "ru",
      Self.catalog(
        "n", "ru", [("one", "%lld файл"), ("few", "%lld файла"), ("many", "%lld файлов"), ("other", "%lld файла?")]),
      etag: nil)
    lab.server.publishTexts("en", Self.catalog("m", "en", [("one", "one file"), ("other", "%lld files")]), etag: nil)
    let strings = try lab.strings("ru_RU")
    _ = await strings.checkForUpdates()
    let texts = [1, 2, 5, 11, 21, 104, -1, 0].map { strings.text("n", count: $0, value: "%lld").text }
    let (one, few, many) = ("%lld файл", "%lld файла", "%lld файлов")
    #expect(texts == [one, few, many, many, one, few, one, many])
    // English in a Russian program: the rules of English.
    #expect(
      [1, 2, 21].map { strings.text("m", count: $0, value: "%lld").text } == ["one file", "%lld files", "%lld files"])
    // Without a number the text is the form for other numbers.
    #expect(strings.text("n", value: "%lld").text == "%lld файла?")
    #expect(strings.text("none", count: 1).source == .key)
  }

  @Test("a form that reads other arguments is not used, and a bundled text has no forms of the server")
  func hostileForms() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"version": 1, "locales": {"de": null}}"#)
    lab.server.publishTexts(
      "de", Self.catalog("n", "de", [("one", "% s"), ("two", "%2$lld"), ("other", "%lld Dinge")]), etag: nil)
    try lab.bundle("b = \"gebündelt\";", "de_AT")
    let strings = try lab.strings("de-AT")
    _ = await strings.checkForUpdates()
    #expect(strings.text("n", count: 1, value: "%lld").text == "%lld Dinge")
    for (form, text, isForm) in [
      ("% s", "%lld Dinge", false), ("5% nur", "%lld Dinge", false), ("%s", "%lld", false), ("ein Ding", "%lld", true),
      ("100%% von %lld", "%lld", true), ("%lld %lld", "%lld", false), ("5% nur", "5% off", true),
      ("%d", "5% off", false),
      ("%1$@", "%1$@ %2$lld", true),
    ] { #expect(Placeholders.isForm(form, of: text) == isForm, "\(form) of \(text)") }
    // Neither form fits the program's text.
    #expect(strings.text("n", count: 1, value: "%@") == FoundText(text: "%@", source: .default))
    #expect(strings.text("b", count: 1).text == "gebündelt")
  }

  @Test("a number of its own, and an offset")
  func selectors() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"version": 1, "locales": {"de": null}}"#)
    lab.server.publishTexts(
      "de",
      #"""
      [{"key": "n", "values": [{"lang": "de", "message": {"parts": [{"variant": {"variable": "count", "offset": 1, "forms": [
        {"selector": "=0", "parts": [{"text": "niemand"}]}, {"selector": "=1", "parts": [{"text": "du"}]},
        {"selector": "one", "parts": [{"text": "du und ein anderer"}]},
        {"selector": "other", "parts": [{"text": "du und andere"}]}]}}]}}]}]
      """#, etag: nil)
    let strings = try lab.strings("de")
    _ = await strings.checkForUpdates()
    #expect(
      [0, 1, 2, 3, .min].map { strings.text("n", count: $0).text } == [
        "niemand", "du", "du und ein anderer", "du und andere", "du und andere",
      ])
  }

  @Test("a sign for the number stands for it, and a text that needs a difference is left out")
  func hashSigns() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"version": 1, "locales": {"de": null}}"#)
    let strings = try lab.strings("de")
    lab.server.publishTexts(
      "de",
      #"""
      [{"key": "n", "values": [{"lang": "de", "message": {"parts": [{"variant": {"variable": "count", "forms": [
        {"selector": "one", "parts": [{"text": "Nr. #{{count}}"}]}, {"selector": "other", "parts": [{"text": "# Dinge"}]}]}}]}}]},
       {"key": "less", "values": [{"lang": "de", "message": {"parts": [{"variant": {"variable": "count", "offset": 1, "forms": [
        {"selector": "other", "parts": [{"text": "# Dinge"}]}]}}]}}]}]
      """#, etag: nil)
    #expect(await strings.checkForUpdates().status == .updated)
    #expect(strings.text("n", count: 1, value: "%1$lld").text == "Nr. #%1$lld")
    #expect(strings.text("n", count: 2, value: "%1$lld").text == "%1$lld Dinge")
    #expect(strings.text("less", count: 2).source == .key)
  }

  // MARK: - Choice

  @Test(
    "a chosen language is looked up at once, tells the subscribers, and survives another id", .timeLimit(.minutes(5)))
  func choice() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(
      #"{"version": 3, "locales": {"de": {"name": "Deutsch"}, "fr": {"name": "français"}}}"#)
    lab.server.publishTexts("de", #"{"a": "eins"}"#, etag: "\"1\"")
    lab.server.publishTexts("fr", #"{"a": "un"}"#, etag: "\"2\"")
    try lab.bundle("a = ett; b = \"två\";", "sv")
    let strings = try lab.strings("de", policy: .init(checkOnStart: true))
    _ = await strings.checkForUpdates()
    #expect(strings.languages.map(\.identifier) == ["de", "fr", "sv"])
    #expect(strings.languages.map(\.name) == ["Deutsch", "français", nil])
    var revisions = strings.revisions().makeAsyncIterator()
    #expect(await revisions.next() == 3)
    strings.select("fr-CA")
    #expect(strings.selectedLocale == "fr-CA" && strings.text("a").source == .key)
    #expect(await revisions.next() == 3)
    // The texts are asked for without a call of the program.
    while strings.text("a").text != "un" { _ = await revisions.next() }
    strings.select("sv_SE.UTF-8")
    #expect(strings.text("b").text == "två")
    strings.setup(try lab.configuration("de", id: "other"))
    #expect(strings.text("b").text == "två")
    // As in the environment.
    strings.select("C")
    #expect(strings.selectedLocale == "en")
    strings.select("no tag at all, but a text that is longer than a tag of a language can be in any case")
    #expect(strings.selectedLocale == nil && strings.text("b").source == .key)
  }
}
