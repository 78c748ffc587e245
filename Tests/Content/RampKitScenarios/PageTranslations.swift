import RampKitFlow
import TesseraBridge
import TesseraLocales

/// Translations: where their texts go, and a page that changes its language.
@MainActor
enum PageTranslations {
  static func run(_ arguments: [String]) async throws {
    let page = try await ShownPage(
      html: """
        <p id=p data-ramp-id=hello>Hello ${name}</p>
        <button id=b data-ramp-id=go><img data-ramp-id=pic alt=picture> Go</button><input id=i data-ramp-id=field>
        <p id=o data-ramp-id=other>stays</p>
        """,
      translations: [
        "de": ["hello": "Servus"], "ar": ["hello": "مرحبا ${name}"],
        "de_at": ["hello": "Hallo <b>${name}</b>", "go": "Los", "pic": "Bild", "field": "Name"],
      ], variables: ["name": "Ada"], locale: "de_AT")
    func read() async throws -> JSONValue {
      try await page.value(
        """
        ({lang: document.documentElement.lang, dir: document.documentElement.dir, text: p.textContent,
          button: b.textContent.trim(), pictures: b.querySelectorAll("img").length, field: i.placeholder,
          alt: b.querySelector("img").alt, other: o.textContent, bold: p.querySelectorAll("b").length})
        """)
    }
    observe("start", try await read())
    try await page.value("__rampkitApplyTranslations({ar: {hello: 'مرحبا ${name}'}}, 'ar_EG', 'ar')")
    page.send(["name": "Bo"])
    try await page.wait("p.textContent.includes('Bo')")
    observe("changed", try await read())
    try await page.value("__rampkitApplyTranslations({de: {hello: 'x'}}, 'fr_FR', 'fr')")
    observe("none", try await read())
    try await page.value("__rampkitApplyTranslations({de: {hello: 'x'}, he: {}}, 'de_CH', 'de')")
    observe("back", try await read())
    for map in ["null", "5", "{}", "{de: 5}", "{de: {hello: 5}}"] {
      try await page.value("__rampkitApplyTranslations(\(map), 'de', 'de')")
    }
    observe("no map", try await read())
    try await compareLanguages(page)
    page.close()
  }

  /// The page's rule beside `LocaleChain`, for each language with each set of translations.
  private static func compareLanguages(_ page: ShownPage) async throws {
    let locales = [
      "zh_TW", "zh_HK", "zh_MO", "zh_CN", "zh_SG", "zh-Hant-TW", "zh-Hant", "zh", "sr_ME", "sr_RS", "sr", "sh",
      "az_IR",
      "uz_AF", "pa_PK", "pa_IN", "mn_CN", "nb_NO", "no_NO", "nn_NO", "he_IL", "iw", "id_ID", "in", "fil_PH", "tl",
      "yi",
      "es_MX", "es_ES", "pt_AO", "pt_PT", "pt_BR", "de_AT", "de", "en_GB", "ca-ES-valencia", "ku_IQ", "xx-YY",
      "es-Latn-MX", "zh-Hant-MO", "sh-Latn-RS",
    ]
    let sets = [
      ["zh-Hant", "zh-Hans", "en"], ["zh", "zh_TW", "zh-HK"], ["zh-CN"], ["zh-Hant-HK", "zh"],
      ["sr-Latn", "sr-Cyrl"],
      ["sr_RS", "sr_ME"], ["az-Arab", "az"], ["uz-Arab", "uz-Cyrl"], ["pa-Guru", "pa-Arab"], ["mn", "mn-Mong"],
      ["nb", "nn"], ["no"], ["iw"], ["he-IL"], ["in"], ["id"], ["tl", "ji"], ["fil", "yi"], ["es-419", "es"],
      ["pt-PT", "pt"], ["pt_BR"], ["de_DE", "en_US"], ["ca", "xx"], ["ku-Arab", "ku"], ["DE", "EN-gb", "de-at"],
      ["IW", "he-IL"],
    ]
    var differences: [JSONValue] = []
    for locale in locales {
      for names in sets {
        let map = JSONValue.object(
          JSONObject(Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.object([:])) })))
        let found = try await page.value(
          """
          (document.documentElement.lang = "none",
            __rampkitApplyTranslations(\(map.text), '\(locale)', '\(locale.prefix { $0 != "_" && $0 != "-" })'),
            document.documentElement.lang)
          """)
        var expected = "none"
        if let tag = LocaleTag(locale) {
          let match = LocaleChain(tag).matches(in: names.compactMap { LocaleTag($0) }).first
          expected = names.first { LocaleTag($0) == match } ?? "none"
        }
        if found.stringValue != String(expected.map { $0 == "_" ? "-" : $0 }) {
          differences.append(.string("\(locale) of \(names): \(found.text), not \(expected)"))
        }
      }
    }
    observe("languages", .integer(Int64(locales.count * sets.count)))
    observe("other languages than the program's", .array(differences))
  }
}
