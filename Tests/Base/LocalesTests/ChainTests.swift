import Testing

@testable import TesseraLocales

@Suite struct ChainTests {
  @Test(arguments: [
    ("zh-Hant-TW", ["zh-Hant-TW", "zh-Hant", "zh"]), ("de_AT.UTF-8", ["de-AT", "de"]),
    ("sr_RS@latin", ["sr-Latn-RS", "sr-Latn", "sr"]),
    ("C", ["en"]), ("", ["en"]), ("POSIX", ["en"]), ("C.UTF-8", ["en"]), ("C@euro", ["en"]), ("de", ["de"]),
    ("DE_at", ["de-AT", "de"]), ("ZH_hANT_tw", ["zh-Hant-TW", "zh-Hant", "zh"]), ("ca_ES@valencia", ["ca-ES", "ca"]),
    ("uz_UZ.UTF-8@cyrillic", ["uz-Cyrl-UZ", "uz-Cyrl", "uz"]), ("sr-Cyrl-RS@latin", ["sr-Cyrl-RS", "sr-Cyrl", "sr"]),
    ("es-419", ["es-419", "es"]), ("de--AT", ["de-AT", "de"]), (" fr ", ["fr"]), ("___", ["en"]), (".UTF-8", ["en"]),
    (String(repeating: "x", count: 65), ["en"]),
  ])
  func chains(text: String, expected: [String]) {
    #expect(LocaleChain(text).tags.map(\.text) == expected)
  }

  /// The script follows from the region, by CLDR's likely subtags; so do the parents of Spanish and Portuguese.
  @Test(arguments: [
    ("zh_TW", ["zh-TW", "zh-Hant", "zh"]), ("zh_HK.UTF-8", ["zh-HK", "zh-Hant", "zh"]),
    ("zh_CN", ["zh-CN", "zh"]), ("zh-MO", ["zh-MO", "zh-Hant", "zh"]),
    ("sr_ME", ["sr-ME", "sr-Latn", "sr"]), ("sr_RS", ["sr-RS", "sr"]), ("az_IR", ["az-IR", "az-Arab", "az"]),
    ("uz_AF", ["uz-AF", "uz-Arab", "uz"]), ("pa_PK", ["pa-PK", "pa-Arab", "pa"]), ("pa_IN", ["pa-IN", "pa"]),
    ("mn_CN", ["mn-CN", "mn-Mong", "mn"]), ("es_MX", ["es-MX", "es-419", "es"]), ("es_ES", ["es-ES", "es"]),
    ("pt_AO", ["pt-AO", "pt-PT", "pt"]), ("nn_NO", ["nn-NO", "nn", "nb"]),
    ("es-Latn-MX", ["es-Latn-MX", "es-419", "es-Latn", "es"]),
  ])
  func scriptsFollowFromRegions(text: String, expected: [String]) {
    #expect(LocaleChain(text).tags.map(\.text) == expected)
  }

  @Test(
    arguments: [
      ("zh_TW", ["zh-Hant", "zh-Hans"], ["zh-Hant"]), ("zh-Hant", ["zh-TW", "zh-CN"], ["zh-TW"]),
      ("zh-Hant-TW", ["zh", "zh-Hant"], ["zh-Hant", "zh"]), ("zh_HK", ["zh-Hant", "zh-Hans"], ["zh-Hant"]),
      ("zh-Hans-SG", ["zh-CN", "zh-TW"], ["zh-CN"]), ("zh_SG", ["zh-Hans", "zh-Hant"], ["zh-Hans"]),
      ("nb_NO", ["no", "en"], ["no"]), ("no_NO", ["nb", "en"], ["nb"]), ("nn_NO", ["no", "en"], ["no"]),
      ("he_IL", ["iw", "en"], ["iw"]), ("iw_IL", ["he", "en"], ["he"]), ("id_ID", ["in"], ["in"]),
      ("in", ["id-ID"], ["id-ID"]), ("fil_PH", ["tl"], ["tl"]), ("tl_PH", ["fil"], ["fil"]), ("yi", ["ji"], ["ji"]),
      ("sr_ME", ["sr", "sr-Latn"], ["sr-Latn", "sr"]), ("sh", ["sr-Latn", "sr"], ["sr-Latn"]),
      ("az_AZ", ["az-Latn", "az-Cyrl"], ["az-Latn"]), ("uz_UZ@cyrillic", ["uz", "uz-Cyrl"], ["uz-Cyrl", "uz"]),
      ("pa_PK", ["pa-Arab", "pa-Guru"], ["pa-Arab"]), ("pa_IN", ["pa-Arab", "pa-Guru"], ["pa-Guru"]),
      ("de_AT", ["de-DE", "en"], ["de-DE"]), ("de_AT", ["en", "de", "de-AT", "de-CH"], ["de-AT", "de"]),
      ("de", ["de-AT", "en"], []), ("pt_PT", ["pt-BR"], ["pt-BR"]), ("en", ["en-US", "en-GB"], ["en-US"]),
      ("ca_ES@valencia", ["ca"], ["ca"]), ("xx-YY", ["xx", "XX-yy"], ["xx-YY", "xx"]), ("de", ["de-1996"], []),
    ] as [(String, [String], [String])])
  func matches(text: String, available: [String], expected: [String]) {
    #expect(LocaleChain(text).matches(in: available.compactMap { LocaleTag($0) }).map(\.text) == expected)
  }

  /// Both spellings of one locale: the own one first.
  @Test func ownSpellingsComeFirst() {
    let available = ["iw", "he-IL", "he", "zz"].compactMap { LocaleTag($0) }
    #expect(LocaleChain("he").matches(in: available).map(\.text) == ["he", "he-IL", "iw"])
    #expect(LocaleChain("iw").matches(in: available).map(\.text) == ["iw", "he", "he-IL"])
  }

  @Test(arguments: [
    ("ar", true), ("ar-EG", true), ("he", true), ("iw_IL", true), ("fa", true), ("ur_PK", true), ("ps", true),
    ("ckb", true), ("yi", true), ("dv", true), ("ug", true), ("sd_PK", true), ("sd_IN", false), ("pa_PK", true),
    ("pa", false), ("uz-Arab", true), ("uz", false), ("de", false), ("arz", false), ("xx-Hebr", true), ("ku", false),
  ])
  func directions(text: String, isRightToLeft: Bool) {
    #expect(LocaleTag(text)?.isRightToLeft == isRightToLeft)
  }

  @Test(
    arguments: [
      ([:], ["en"]), (["LANG": "de_AT.UTF-8"], ["de-AT", "de"]),
      (["LANG": "de_AT", "LC_MESSAGES": "fr_FR"], ["fr-FR", "fr"]),
      (["LANG": "de_AT", "LC_MESSAGES": "fr_FR", "LC_ALL": "it_IT"], ["it-IT", "it"]),
      (["LANG": "de_AT", "LC_ALL": ""], ["de-AT", "de"]),
      // Of several languages the first one counts.
      (["LANG": "de_AT", "LANGUAGE": "pt_BR:en"], ["pt-BR", "pt"]),
      (["LANG": "de_AT", "LANGUAGE": ":"], ["de-AT", "de"]),
      (["LANG": "C", "LANGUAGE": "pt_BR"], ["en"]), (["LANGUAGE": "pt_BR"], ["en"]),
      (["LANG": "de_AT", "LC_ALL": "C.UTF-8", "LANGUAGE": "pt_BR"], ["en"]), (["LC_CTYPE": "de_AT"], ["en"]),
    ] as [([String: String], [String])])
  func environments(environment: [String: String], expected: [String]) {
    #expect(LocaleChain(environment: environment).tags.map(\.text) == expected)
  }

  @Test func aTagWithManyPartsGivesFewRequests() {
    let text = Array(repeating: "a", count: 32).joined(separator: "-")
    #expect(LocaleChain(text).tags.count == 8)
    #expect(LocaleChain(text).tags.last?.text == "a")
  }
}
