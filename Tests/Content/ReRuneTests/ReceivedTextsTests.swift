import TesseraCore
import TesseraLocales
import Testing

@testable import ReRune

/// The forms in which the server has sent texts since 2026: string catalogs (SDK 0.4 to 0.10 for iOS), then records (0.11 to
/// 1.7).
@Suite("Forms of the server's texts") struct ReceivedTextsTests {
  private static func texts(_ body: String, _ tag: String = "de") throws -> [String: String] {
    try ReceivedTexts(Array(body.utf8), mediaType: "application/json", for: #require(LocaleTag(tag))).table.dictionary
  }

  private static let catalog = #"""
    {"sourceLanguage": "en", "version": "1.0", "strings": {
      "home_title": {"comment": "x", "extractionState": "manual", "localizations": {
        "en": {"stringUnit": {"state": "translated", "value": "Home"}},
        "de_AT": {"stringUnit": {"state": "translated", "value": "Servus"}},
        "de": {"stringUnit": {"state": "needs_review", "value": "Start"}}}},
      "device": {"localizations": {"de": {"variations": {"device": {
        "iphone": {"stringUnit": {"value": "Tippen"}}, "other": {"stringUnit": {"value": "Klicken"}}}}}}},
      "plural": {"localizations": {"de": {"variations": {"plural": {
        "one": {"stringUnit": {"value": "Ein Ding"}}, "other": {"stringUnit": {"value": "%lld Dinge"}}}}}}},
      "substituted": {"localizations": {"de": {"stringUnit": {"value": "%@: %#@n@!"}, "substitutions": {"n": {
        "argNum": 2, "formatSpecifier": "d", "variations": {"plural": {
          "one": {"stringUnit": {"value": "%arg Ding"}}, "other": {"stringUnit": {"value": "%arg Dinge"}}}}}}}}},
      "placed": {"localizations": {"de": {"stringUnit": {"value": "%2$#@n@ von %1$@"}, "substitutions": {"n": {
        "variations": {"plural": {"other": {"stringUnit": {"value": "%arg Dinge"}}}}}}}}},
      "two numbers": {"localizations": {"de": {"stringUnit": {"value": "%#@a@ %#@b@"}, "substitutions": {
        "a": {"variations": {"plural": {"other": {"stringUnit": {"value": "%arg"}}}}},
        "b": {"variations": {"plural": {"other": {"stringUnit": {"value": "%arg"}}}}}}}}},
      "unknown": {"localizations": {"de": {"stringUnit": {"value": "%#@n@"}, "substitutions": {"n": {}}}}},
      "no other": {"localizations": {"de": {"variations": {"plural": {"one": {"stringUnit": {"value": "x"}}}}}}},
      "new": {"localizations": {"de": {"stringUnit": {"state": "new", "value": ""}}}},
      "empty": {"localizations": {"de": {"stringUnit": {"state": "translated", "value": ""}}}},
      "version": {"localizations": {"en": {"stringUnit": {"value": "Version"}}}}, "none": {}}}
    """#

  @Test("a catalog gives the texts of the locale, and none of its own members")
  func catalogs() throws {
    #expect(
      try Self.texts(Self.catalog) == [
        "home_title": "Start", "device": "Klicken", "empty": "", "plural": "%lld Dinge", "plural\0one": "Ein Ding",
        "substituted": "%@: %2$d Dinge!", "substituted\0one": "%@: %2$d Ding!", "placed": "%2$lld Dinge von %1$@",
      ])
    #expect(try Self.texts(Self.catalog, "de-AT") == ["home_title": "Servus"])
    #expect(throws: PayloadError(reason: .noTexts)) { try Self.texts(Self.catalog, "fr") }
  }

  @Test("records give their texts; a token becomes the argument of its place")
  func records() throws {
    let body = #"""
      [{"key": "welcome_title", "values": [{"lang": "de", "value": "Hallo", "variations": [{"variation": "vip", "value": "x"}]}]},
       {"key": "date", "type": "key", "placeholders": [{"name": "d", "type": "string"}, {"name": "n", "type": "INT"}],
        "values": [{"lang": "de", "value": "{{n}} % am {{d}}"}]},
       {"key": "off", "values": [{"lang": "de", "value": "50% weniger"}]},
       {"key": "n", "placeholders": [{"name": "count", "type": "int"}], "values": [{"lang": "de", "message": {"parts": []}}]},
       {"key": "files", "placeholders": [{"name": "who", "type": "string"}], "values": [{"lang": "de", "message": {"parts": [
         {"text": "{{who}}: "}, {"variant": {"variable": "count", "offset": 1, "forms": [
           {"selector": "=0", "parts": [{"text": "nichts, 0%"}]}, {"selector": "one", "parts": [{"text": "100% von {{count}}"}]},
           {"selector": "later", "parts": [{"text": "?"}]}, {"selector": "other", "parts": [{"text": "{{count}}"}]}]}},
         {"text": "."}]}}]},
       {"key": "unknown part", "values": [{"message": {"parts": [{"date": "x"}]}}]},
       {"key": "menu", "type": "object", "translationKeys": []},
       {"key": "blank", "values": [{"lang": "de", "value": ""}]}, {"key": "gone", "values": []}]
      """#
    #expect(
      try Self.texts(body) == [
        "welcome_title": "Hallo", "date": "%2$lld %% am %1$@", "off": "50% weniger", "blank": "",
        "files": "%2$@: %1$lld.", "files\0=0": "%2$@: nichts, 0%%.", "files\0one": "%2$@: 100%% von %1$lld.",
        "files\0offset": "1",
      ])
    #expect(try Self.texts("[]").isEmpty)
  }

  @Test(
    "what is not understood, or has no text, is refused",
    arguments: [
      "{}", #"{"error": {"code": 1}}"#, #"{"data": null}"#, "[1]", #"[{"values": []}]"#, #"[{"key": "a"}]"#,
      #"[{"key": "a", "values": [{"lang": "de"}]}]"#, #"[{"key": "a", "values": ["x"]}]"#,
      #"[{"key": "a", "values": {}}]"#,
      #"[{"key": "a", "values": [{"lang": "fr", "value": "x"}]}]"#, #"{"error": "not found"}"#,
      #"{"status": "error", "message": "Internal error", "path": "/x"}"#, #"{"statusCode": 500, "message": "x"}"#,
      #"[{"key": "a", "values": [{"message": {"parts": [{"variant": {"forms": 1}}]}}]}]"#,
      #"[{"key": "a", "values": [{"value": "{{name}}"}]}]"#, #"[{"key": "a", "values": [{"value": "{{"}]}]"#, "[",
      "[{}",
      #"{"sourceLanguage": "en", "strings": {}}"#, #"{"sourceLanguage": "en", "version": "1.0", "strings": {"a": {}}}"#,
      #"{"sourceLanguage": "en", "strings": {"a": {"localizations": {"de": {"stringUnit": {"value": 1}}}}}}"#, "null",
      "1",
    ])
  func refused(_ body: String) { #expect(throws: PayloadError.self) { try Self.texts(body) } }

  @Test("keys are compared by their UTF-8, in a difference, too; of records with one key the last one counts")
  func keys() throws {
    let tag = try #require(LocaleTag("de"))
    let old = try ReceivedTexts(Array("{\"caf\u{E9}\": \"1\", \"cafe\u{301}\": \"2\"}".utf8), mediaType: nil, for: tag)
    let record = { (key: String, value: String) in #"{"key": "\#(key)", "values": [\#(value)]}"# }
    let forms = #"""
      {"message": {"parts": [{"variant": {"variable": "n", "forms": [
        {"selector": "one", "parts": [{"text": "one"}]}, {"selector": "other", "parts": [{"text": "other"}]}]}}]}}
      """#
    let body = "[\(record("n", forms)), \(record("n", #"{"value": "plain"}"#)), \(record("null", #"{"value": "x"}"#))]"
    let new = try ReceivedTexts(
      Array(body.replacing(#""key": "null","#, with: #""key": "null", "type": null,"#).utf8), mediaType: nil, for: tag,
      changing: old.payload)
    #expect(
      new.table.texts.map { "\(Array($0.key.utf8).count) \($0.text)" }.sorted() == ["1 plain", "4 x", "5 1", "6 2"])
  }

  @Test("large answers with many forms stay small")
  func manyForms() throws {
    let part = String(repeating: "x", count: 1 << 20)
    let forms = (0..<20_000).map { #"{"selector": "=\#($0)", "parts": []}"# }.joined(separator: ",")
    let body = #"""
      [{"key": "n", "values": [{"message": {"parts": [{"text": "\#(part)"}, {"variant": {"variable": "n", "forms": [\#(forms)]}}]}}]},
       {"key": "a", "values": [{"value": "b"}]}]
      """#
    #expect(try Self.texts(body) == ["a": "b"])
    let catalog = #"""
      {"sourceLanguage": "en", "strings": {"a": {"localizations": {"de": {"stringUnit": {"value": "b"}}}}, "n": {"localizations": {
        "de": {"stringUnit": {"value": "%#@n@"}, "substitutions": {"n": {"formatSpecifier": "\#(part)", "variations": {"plural": {
        "other": {"stringUnit": {"value": "\#(String(repeating: "%arg", count: 100_000))"}}}}}}}}}}}
      """#
    #expect(try Self.texts(catalog) == ["a": "b"])
  }

  @Test("flat texts may have the names of a catalog's members as keys")
  func flat() throws {
    let body = #"{"sourceLanguage": "Ausgangssprache", "strings": "Saiten", "version": "Fassung"}"#
    #expect(try Self.texts(body).count == 3)
  }

  @Test("texts that are not understood leave the old ones, and the check says so")
  func update() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"revision": 1, "locales": ["de"]}"#)
    lab.server.publishTexts("de", #"{"home_title": "Alt"}"#, etag: "\"1\"")
    let strings = try lab.strings("de")
    #expect(await strings.checkForUpdates().status == .updated)
    for (number, body) in ["{}", #"{"error": {}}"#, "[{}]", #"{"sourceLanguage": "en", "strings": {}}"#].enumerated() {
      lab.server.publishManifest(#"{"revision": \#(number + 2), "locales": ["de"]}"#)
      lab.server.publishTexts("de", body, etag: "\"\(number + 2)\"")
      let result = await strings.checkForUpdates()
      #expect(result.status == .failed && result.errorMessage?.contains("not understood") == true, "\(body)")
      #expect(strings.text("home_title").text == "Alt", "\(body)")
      // The next process, too.
      #expect(try lab.strings("de").text("home_title").text == "Alt", "\(body)")
    }
    lab.server.publishManifest(#"{"revision": 9, "locales": ["de"]}"#)
    lab.server.publishTexts("de", Self.catalog, etag: "\"9\"")
    #expect(await strings.checkForUpdates().status == .updated)
    #expect(strings.text("home_title").text == "Start" && strings.text("version").source == .key)
    #expect(try lab.strings("de").text("home_title").text == "Start")
    lab.server.publishManifest(#"{"revision": 10, "locales": ["de"]}"#)
    lab.server.publishTexts("de", "[]", etag: "\"10\"")
    #expect(await strings.checkForUpdates().status == .updated)
    #expect(strings.text("home_title").source == .key)
  }

  @Test(
    "a percent sign that begins no placeholder does not matter in a text without any",
    arguments: [
      ("50% off", "50% Rabatt"), ("50 %", "(50%)"), ("Off", "50% Rabatt"), ("100%.", "Alles: 100%"), ("5% of it", "5%"),
    ])
  func percent(_ own: String, _ other: String) throws {
    #expect(Placeholders(own) == Placeholders(other))
    #expect(Placeholders("%@ " + own) != Placeholders(other))
  }
}
