import Testing

@testable import ReRune

@Suite struct LocaleTests {
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
