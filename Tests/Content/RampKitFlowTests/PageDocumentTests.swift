import TesseraJSON
import Testing

@testable import RampKitFlow

/// The HTML of screens.
@Suite struct PageDocumentTests {
  private func flow(_ name: String) throws -> OnboardingData {
    var problems: [FlowProblem] = []
    return try OnboardingData(try Samples.bytes(name), problems: &problems)
  }

  private func document(
    _ flow: OnboardingData, _ index: Int = 0, context: PageContext? = nil, variables: JSONObject = [:],
    locale: String = "en_US"
  ) -> PageDocument {
    PageDocument(flow.screens[index], of: flow, index: index, context: context, variables: variables, locale: locale)
  }

  private func document(_ screen: ScreenPayload, locale: String = "en_US") -> PageDocument {
    var flow = OnboardingData()
    flow.screens = [screen]
    return document(flow, locale: locale)
  }

  private func count(_ text: String, in html: String) -> Int { html.ranges(of: text).count }

  /// Whether the texts stand in the HTML in this order.
  private func isOrder(_ texts: [String], in html: String) -> Bool {
    var rest = Substring(html)
    for text in texts {
      guard let range = rest.firstRange(of: text) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }

  @Test func theSampleHasEachHostOnceItsScriptsInOrderAndItsOwnScriptLast() throws {
    let html = document(try flow("rampkit-onboarding")).html
    #expect(count("rel=\"preconnect\"", in: html) == 1)
    #expect(count("rel=\"dns-prefetch\"", in: html) == 1)
    #expect(
      isOrder(
        [
          "<!doctype html>", "<html lang=\"en-US\">", "<meta charset=\"utf-8\">", "<meta name=\"viewport\"",
          "<script>\nwindow.rampkitContext = {\"device\":{},\"user\":{}};", "window.__rampkitVariables = {};",
          "window.RK_TOTAL_SCREENS = 3;", "</script>",
          "href=\"https://cdn.example.org\"", "<script src=\"https://cdn.example.org/lib/anim.js\"></script>",
          "<script src=\"https://cdn.example.org/lib/extra.js\"></script>", "main{padding:24px;", "margin: 0",
          "<body>", "<main><h1", "{\"kind\":\"content\"}", "</script>",
          "document.getElementById('go')", "</script>\n</body>",
        ], in: html))
    // Nothing follows the script of the screen.
    #expect(html.hasSuffix("});\n</script>\n</body>\n</html>\n"))
  }

  @Test func severalHostsAreNamedOnceEach() {
    var flow = OnboardingData()
    flow.screens = [ScreenPayload(id: "a", html: "x")]
    flow.requiredScripts = [
      "https://a.example/1.js", "https://b.example:8443/2.js?a=1&b=\"", "https://A.example/3.js",
      "http://c.example/4.js",
      "file:///5.js", "no address",
    ]
    let document = document(flow)
    #expect(count("rel=\"preconnect\"", in: document.html) == 2)
    #expect(count("<script src=", in: document.html) == 3)
    #expect(document.html.contains("src=\"https://b.example:8443/2.js?a=1&amp;b=&quot;\""))
    #expect(document.securityPolicy.contains("script-src 'unsafe-inline' https://a.example https://b.example:8443;"))
  }

  @Test func thePolicyAllowsNeitherFramesNorFormsNorScriptsOfOtherHosts() throws {
    let policy = document(try flow("rampkit-onboarding")).securityPolicy
    let directives = policy.split(separator: ";").map { $0.split(separator: " ").map(String.init) }
    let byName = Dictionary(uniqueKeysWithValues: directives.map { ($0[0], Array($0.dropFirst())) })
    for name in ["default-src", "frame-src", "object-src", "base-uri", "form-action"] {
      #expect(byName[name] == ["'none'"], "\(name)")
    }
    #expect(byName["script-src"] == ["'unsafe-inline'", "https://cdn.example.org"])
    for name in ["style-src", "img-src", "font-src", "media-src", "connect-src"] {
      #expect(byName[name]?.contains("https:") == true && byName[name]?.contains("data:") == true, "\(name)")
    }
    #expect(document(ScreenPayload(id: "a", html: "x")).securityPolicy.contains("script-src 'unsafe-inline';"))
  }

  @Test(arguments: [
    ("ar", "<html lang=\"ar\" dir=\"rtl\">"), ("ar_EG.UTF-8", "<html lang=\"ar\" dir=\"rtl\">"),
    ("de_AT", "<html lang=\"de\">"), ("fr", "<html>"), ("", "<html>"),
  ])
  func theLanguageIsThatOfTheTranslation(locale: String, tag: String) throws {
    #expect(document(try flow("rampkit-onboarding-extended"), locale: locale).html.contains(tag))
  }

  @Test(arguments: [
    ("he_IL", "<html lang=\"he-IL\" dir=\"rtl\">"), ("fa", "<html lang=\"fa\" dir=\"rtl\">"),
    ("ur", "<html lang=\"ur\" dir=\"rtl\">"), ("ps_AF", "<html lang=\"ps-AF\" dir=\"rtl\">"),
    ("de-AT@euro", "<html lang=\"de-AT\">"),
    ("\"><script>", "<html>"), ("", "<html>"),
  ])
  func aPageWithoutTranslationsHasTheLanguageOfTheLocale(locale: String, tag: String) {
    #expect(document(ScreenPayload(id: "a", html: "x"), locale: locale).html.contains(tag))
  }

  @Test func theExactTranslationComesBeforeThatOfTheLanguage() {
    let names = ["de", "de-at", "DE_ch"]
    #expect(PageLocale("de_AT").translation(in: names) == "de-at")
    #expect(PageLocale("de-CH").translation(in: names) == "DE_ch")
    #expect(PageLocale("de_DE").translation(in: names) == "de")
    #expect(PageLocale("d").translation(in: names) == nil)
    #expect(PageLocale("").translation(in: names + [""]) == nil)
  }

  @Test(
    arguments: [
      ("zh_TW.UTF-8", ["zh-Hans", "zh-Hant"], "zh-Hant"), ("zh-Hant-TW", ["zh", "zh_Hant"], "zh_Hant"),
      ("sr_ME", ["sr", "sr-Latn"], "sr-Latn"), ("nb_NO", ["en", "no"], "no"), ("he_IL", ["iw"], "iw"),
      ("sr_RS@latin", ["sr_Cyrl", "sr_Latn"], "sr_Latn"), ("de_AT", ["de_DE", "en"], "de_DE"), ("fr", ["de"], nil),
    ] as [(String, [String], String?)])
  func translationsAreThoseThatTheUserReads(locale: String, names: [String], expected: String?) {
    #expect(PageLocale(locale).translation(in: names) == expected)
  }

  @Test func aScreenWithoutHTMLGetsAPageWithOneButton() throws {
    var options = PageOptions()
    options.continueLabel = "Weiter & <los>"
    let screen = ScreenPayload(id: "a", label: "</h1><script>", html: "", js: "run()")
    var flow = OnboardingData()
    flow.screens = [screen]
    let html = PageDocument(
      screen, of: flow, index: 0, context: nil, variables: [:], locale: "", options: options
    ).html
    #expect(count("<button", in: html) == 1)
    #expect(html.contains("rampkit:tap"))
    #expect(html.contains("&lt;/h1&gt;&lt;script&gt;"))
    #expect(html.contains("Weiter &amp; &lt;los&gt;</button>"))
    #expect(html.contains("run()"))
    #expect(count("<h1>", in: document(ScreenPayload(id: "a", html: "")).html) == 0)
  }

  @Test func dataCannotEndItsScript() throws {
    let hostile = "</script><!-- <script> \" ' \\ \n \u{2028}\u{2029}"
    let screen = ScreenPayload(
      id: hostile, label: hostile, html: "<p>", translations: [hostile: [hostile: hostile]])
    var flow = OnboardingData()
    flow.screens = [screen]
    var context = PageContext(device: .init(platform: hostile), user: .init(id: hostile, isNewUser: false))
    context.device.country = hostile
    let html = PageDocument(
      screen, of: flow, index: 0, context: context, variables: [hostile: .string(hostile)], locale: hostile
    ).html
    // The script of the data and the one after the content, which end where they should, and no line end of older
    // JavaScript in them.
    #expect(count("</script", in: html) == 2)
    #expect(count("<!--", in: html) == 0)
    #expect(!html.unicodeScalars.contains("\u{2028}") && !html.unicodeScalars.contains("\u{2029}"))
  }

  /// A `<template>`, `<svg>` or `<plaintext>` without an end swallows or changes what follows it.
  @Test func theDataStandsBeforeEverythingThatTheFlowWrites() throws {
    var flow = OnboardingData()
    flow.screens = [
      ScreenPayload(
        id: "first", html: "<html><head><style>OPEN</style></head><body class=OPEN><template>OPEN", css: "OPEN",
        js: "OPEN", translations: ["en": ["p": "translated"]])
    ]
    flow.requiredScripts = ["https://OPEN.example/a.js"]
    let html = document(flow, variables: ["v": "value"]).html
    let start = try #require(html.firstRange(of: "OPEN")).lowerBound
    let data = String(html[..<start])
    #expect(
      isOrder(
        [
          "window.rampkitContext", "window.__rampkitVariables = {\"v\":\"value\"};", "window.RK_TOTAL_SCREENS = 1;",
          "screenId\\\":\\\"first", "translations", "translated", "</script>",
        ], in: data), "\(data)")
    #expect(isOrder(["<template>OPEN", "content", "</script>", "<script>\nOPEN\n</script>\n</body>"], in: html))
  }

  @Test func anExpressionMeansTheSameAsItsJSON() throws {
    for value: JSONValue in [
      .string("</script>\u{2028}\u{2029}<!--\u{2027}\u{202A}\u{E2}\u{80}\u{A8}"), ["<": ["<", 1, nil, true]],
    ] {
      let expression = value.scriptExpression
      #expect(try JSONValue(text: expression) == value)
      #expect(!expression.contains("<"))
    }
  }

  @Test func theContextIsThatOfTheSample() throws {
    var context = PageContext(
      device: .init(platform: "Linux"), user: .init(id: "rk_00000000-0000-4000-8000-000000000000", isNewUser: false))
    context.device.model = "x86_64"
    context.device.locale = "de_AT"
    context.device.language = "de"
    context.device.country = "AT"
    context.device.currencyCode = "EUR"
    context.device.currencySymbol = "€"
    context.device.appVersion = "1.0"
    context.device.buildNumber = "1"
    context.device.bundleId = "org.example.demo"
    context.device.interfaceStyle = "dark"
    context.device.timezone = 3600
    context.device.daysSinceInstall = 2
    context.user.sessionId = "9d2b8f0e-0000-4000-8000-000000000002"
    context.user.installedAt = "2029-12-31T00:00:00.000Z"
    #expect(context.json.text == (try Samples.json("rampkit-context")).text, "also the order of the members")
    #expect(document(try flow("rampkit-onboarding"), context: context).html.contains(context.json.text))
    // What templates may name is what the context has.
    guard case .object(let device)? = context.json["device"], case .object(let user)? = context.json["user"] else {
      Issue.record("no objects")
      return
    }
    #expect(PageContext.names == Set(device.names.map { "device.\($0)" } + user.names.map { "user.\($0)" }))
  }

  // MARK: - Styles and scripts

  @Test(arguments: ["a('</script>')", "a('</SCRIPT ')", "a // <!--", "x = '<script'"])
  func aScriptThatCouldEndItsElementIsData(js: String) {
    let html = document(ScreenPayload(id: "a", html: "x", js: js)).html
    #expect(!html.contains(js))
    #expect(html.contains("createElement(\"script\")"))
    #expect(count("</script", in: html) == 3)
  }

  @Test func anotherScriptIsInItsElementAsItIs() {
    let js = "if (a < b && c </x/.y) { d(\"</div>\") }"
    #expect(document(ScreenPayload(id: "a", html: "x", js: js)).html.contains("<script>\n\(js)\n</script>"))
  }

  @Test func aStyleCannotEndItsElement() {
    #expect(PageDocument.styleText("a{content:'</style></STYLE>'}") == "a{content:'\\3C /style>\\3C /STYLE>'}")
    #expect(PageDocument.styleText("a<b </styl") == "a<b </styl")
    #expect(PageDocument.styleText("") == "")
  }

  @Test func noEmbeddedScriptCanEndAnElement() {
    for script in [PageScripts.documentStart, PageScripts.hardening(PageOptions()), PageScripts.afterLoad] {
      #expect(script.contains("\"use strict\""))
      #expect(!script.lowercased().contains("</script") && !script.contains("<!--"))
    }
    #expect(PageScripts.hardening(PageOptions()).contains("const hidesCaret = false;"))
  }

  /// The document and the scripts share what both need.
  @Test func sharedConstantsStandOnceInEachScript() throws {
    let html = document(ScreenPayload(id: "a", html: "x")).html
    let hardening = PageScripts.hardening(PageOptions())
    let viewport = try #require(html.firstMatch(of: /<meta name="viewport" content="([^"]+)">/)).output.1
    #expect(count("const viewport = \"\(viewport)\";", in: hardening) == 1)
    #expect(count("user-scalable=no", in: hardening) == 1)
    let fields = try #require(hardening.firstMatch(of: /const fields = (".+");/)).output.1
    #expect(try JSONValue(text: String(fields)).stringValue?.hasPrefix("input, textarea") == true)
    for script in [hardening, PageScripts.afterLoad] {
      #expect(count("const fields = \(fields);", in: script) == 1)
      #expect(count("[contenteditable]", in: script) == 1)
    }
  }

  @Test func messagesToThePageAreJSON() throws {
    #expect(
      try JSONValue(text: HostMessage.variables(["a": "</script>"]).text)
        == ["kind": "variables", "vars": ["a": "</script>"]])
    #expect(
      try JSONValue(text: HostMessage.state(currentIndex: 1, screenId: "\"", totalScreens: 3).text)
        == ["kind": "state", "currentIndex": 1, "screenId": "\"", "totalScreens": 3])
    #expect(
      try JSONValue(text: HostMessage.visible(true, screenIndex: 1, screenId: "b").text)
        == ["kind": "visible", "isVisible": true, "screenIndex": 1, "screenId": "b"])
  }
}
