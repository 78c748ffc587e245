import RampKitFlow
import TesseraBridge

/// Values with any characters, on their way into a page and out of it; scripts and styles that could end their
/// element; pages that replace what they find.
@MainActor
enum PageValues {
  static let hostile =
    "a \"quoted\" 'single' \\ \\n \n\r\n\t </script><!-- <script> ]]> ${x} \u{2028}\u{2029} &amp; \u{1F600} \u{0}"

  /// Argument: the part.
  static func run(_ arguments: [String]) async throws {
    switch arguments.first {
    case "values": try await values()
    case "elements": try await elements()
    case "events": try await events()
    case "replaced": try await replaced()
    case "forwarder": try await forwarder()
    default: try await components()
    }
  }

  private static func values() async throws {
    var context = PageContext(device: .init(platform: hostile), user: .init(id: hostile, isNewUser: true))
    context.device.model = hostile
    let screen = ScreenPayload(
      id: hostile, html: "<p data-ramp-id=p>x</p><q>${v}</q>", translations: ["en": ["p": hostile, hostile: hostile]])
    var flow = OnboardingData()
    flow.screens = [screen]
    let page = try await ShownPage(
      PageDocument(
        screen, of: flow, index: 0, context: context, variables: ["v": .string(hostile), hostile: 1], locale: "en"))
    observe("hostile", .string(hostile))
    observe("at the start", try await page.value("__rampkitVariables.v"))
    observe("name", try await page.value("Object.keys(__rampkitVariables)[1]"))
    observe("context", try await page.value("[rampkitContext.device.platform, rampkitContext.user.id]"))
    observe("shown", try await page.text("q"))
    page.send(["v": "other"])
    try await page.wait("__rampkitVariables.v === 'other'")
    page.send(["v": .string(hostile), "__proto__": ["polluted": true]])
    try await page.wait("__rampkitVariables.v !== 'other'")
    observe("by update", try await page.value("__rampkitVariables.v"))
    observe("polluted", try await page.value("String(__rampkitVariables.polluted)"))
    // Back to the program.
    try await page.value(
      "window.webkit.messageHandlers.rampkit.postMessage({type: 'rampkit:variables', vars: {v: __rampkitVariables.v}})"
    )
    try await page.wait(messages: 1)
    observe("back", page.messages.last?["vars"]?["v"] ?? .null)
    page.close()
  }

  /// Scripts and styles that end their element too early or never.
  private static func elements() async throws {
    let ending = "</script><p id=leaked>"
    for (name, js) in [
      ("end", "window.text = '\(ending)'; window.isRun = document.currentScript !== null; var global = 1;"),
      ("comment", "window.text = '<!-- <script>'; window.isRun = true; var global = 1;"),
      (
        "operator",
        "const script = 2, i = 1; window.text = String(1</script/i.lastIndex); window.isRun = true; var global = 1;"
      ),
      ("raw", "window.text = String.raw`</script>`; window.isRun = true; var global = 1;"),
      ("error", "window.text = 'before'; window.isRun = true; var global = 1; null.x"),
    ] {
      let page = try await ShownPage(html: "<p id=p>${v}</p>", js: js, variables: ["v": "shown"])
      observe(
        "script \(name)",
        [
          "text": try await page.value("window.text"), "isRun": try await page.value("window.isRun"),
          "global": try await page.value("window.global"),
          "leaked": try await page.value("document.getElementById('leaked') !== null"),
          "shown": try await page.text("#p"),
        ])
      page.close()
    }
    let css = try await ShownPage(
      html: "<p id=p>x</p>",
      css: "/* </style> */ #p::after { content: '</style><p id=leaked>' } #p { color: rgb(1, 2, 3) }")
    observe(
      "css",
      [
        "content": try await css.value("getComputedStyle(p, '::after').content"),
        "color": try await css.value("getComputedStyle(p).color"),
        "leaked": try await css.value("document.getElementById('leaked') !== null"),
      ])
    css.close()
    // HTML without an end does not swallow what follows it.
    for (name, html) in [
      ("comment", "<p id=p>${v}</p><!-- open"), ("script", "<p id=p>${v}</p><script>var x = 1;"),
      ("style", "<p id=p>${v}</p><style>b{}"), ("textarea", "<p id=p>${v}</p><textarea>x"),
      ("tag", "<p id=p>${v}</p><b title=\"x"), ("title", "<p id=p>${v}</p><title>x"),
    ] {
      let page = try await ShownPage(html: html, js: "window.isRun = true", variables: ["v": "shown"])
      observe(
        "open \(name)", ["shown": try await page.text("#p"), "isRun": try await page.value("window.isRun ?? false")])
      page.close()
    }
    // Here the rest of the page is in the open element; the data is not.
    for (name, html) in [
      ("template", "<p id=p data-ramp-id=p>x</p><q>${v} ${onboarding.screenId}</q><template><b>"),
      ("svg", "<p id=p data-ramp-id=p>x</p><q>${v} ${onboarding.screenId}</q><svg><text>"),
      ("math", "<p id=p data-ramp-id=p>x</p><q>${v} ${onboarding.screenId}</q><math><mi>"),
      ("plaintext", "<p id=p data-ramp-id=p>x</p><q>${v} ${onboarding.screenId}</q><plaintext>"),
    ] {
      let page = try await ShownPage(
        html: html, translations: ["en": ["p": "translated"]], variables: ["v": "shown & <b>"])
      observe(
        "swallowing \(name)",
        [
          "translated": try await page.text("#p"), "shown": try await page.text("q"),
          "total": try await page.value("RK_TOTAL_SCREENS"),
          "context": try await page.value("Object.keys(rampkitContext)"),
        ])
      page.close()
    }
    // Scripts find the data in the content, and what is shown in the script of the screen.
    let order = try await ShownPage(
      html: """
        <p id=p>${v}</p><script>
        window.early = [__rampkitVariables.v, RK_TOTAL_SCREENS, p.textContent];
        window.updates = [];
        window.__rampkitUpdateOnboarding = (index, id) => { updates.push([index, id]); };
        </script>
        """, js: "window.late = [p.textContent, updates.slice()]", variables: ["v": "shown"])
    observe("early", try await order.value("early"))
    observe("late", try await order.value("late"))
    observe("updates", try await order.value("updates"))
    order.close()
  }

  /// What a page hears from the program.
  private static func events() async throws {
    let page = try await ShownPage(
      html: "<p>x</p>",
      js: """
        window.heard = [];
        document.addEventListener("message", (event) => { heard.push(["message", event instanceof MessageEvent, event.data]) });
        for (const name of ["rampkit:variables", "rampkit:vars-updated", "rampkit:onboarding-state"]) {
          document.addEventListener(name, (event) => { heard.push([name, event.detail]) });
        }
        window.__rampkitUpdateOnboarding = (index, id) => { heard.push(["update", index, id]); throw new Error("own") };
        """)
    page.send(["a": 1])
    page.send(.state(currentIndex: 1, screenId: "two", totalScreens: 9))
    try await page.wait("heard.length >= 6")
    observe("heard", try await page.value("heard"))
    observe("total", try await page.value("RK_TOTAL_SCREENS"))
    for text in ["", "5", "null", "[]", "{}", "{\"kind\": \"constructor\"}", "{\"kind\": \"variables\"}", "{broken"] {
      page.view.document?.call(PageScripts.receiver, text)
    }
    page.send(["b": 2])
    try await page.wait("__rampkitVariables.b === 2")
    observe("heard at the end", try await page.value("heard.length"))
    page.close()
  }

  /// A page that replaces and breaks what it finds.
  private static func replaced() async throws {
    let page = try await ShownPage(
      html: "<p id=p>${v}</p><b id=b data-tap-dynamic='{\"values\":[{\"actions\":[{\"type\":\"haptic\"}]}]}'>x</b>",
      js: """
        window.isReplaced = false;
        try { window.__rampkitReceive = 5; } catch {}
        JSON.parse = JSON.stringify = () => { throw new Error("replaced") };
        window.CustomEvent = window.MessageEvent = window.setTimeout = undefined;
        Object.hasOwn = undefined;
        document.dispatchEvent = document.querySelectorAll = undefined;
        window.rampkitResolveTemplates = window.rampkitUpdateVariables = undefined;
        try { window.webkit = undefined; } catch {}
        window.isReplaced = true;
        """, variables: ["v": "before"])
    observe("is replaced", try await page.value("isReplaced"))
    page.send(["v": "after"])
    try await page.wait("p.textContent === 'after'")
    try await page.click("#b")
    try await page.settle()
    observe("replaced", .array(page.messages))
    page.close()
  }

  private static func forwarder() async throws {
    let page = try await ShownPage(html: "<p>x</p>", js: "ReactNativeWebView.postMessage('rampkit:close')")
    try await page.value("ReactNativeWebView.postMessage(JSON.stringify({type: 'rampkit:goBack'}))")
    try await page.settle()
    observe("forwarded", .array(page.messages))
    page.close()
    // A page to which the program comes later.
    let screen = ScreenPayload(id: "only", html: "<p>x</p>", js: "ReactNativeWebView.postMessage('early')")
    var flow = OnboardingData()
    flow.screens = [screen]
    let alone = try await ShownPage(
      PageDocument(screen, of: flow, index: 0, context: nil, variables: [:], locale: "en"), hasChannel: false)
    observe(
      "forwarded later",
      try await alone.value(
        """
        window.got = [],
        window.webkit = {messageHandlers: {rampkit: {postMessage(message) { got.push(message) }}}},
        ReactNativeWebView.postMessage("later"), got
        """))
    alone.close()
  }

  private static func components() async throws {
    var flow = OnboardingData()
    flow.components["card"] = FlowComponent(
      key: "card",
      html:
        "<div><h2 data-ramp-id=title>Title</h2><img data-ramp-id=picture src='data:,'><b data-ramp-id=go>Go</b></div>"
    )
    let overrides: JSONValue = [
      "title": ["text": "<i>${v}</i> \"'"], "picture": ["src": "data:,x\"'"],
      "go": ["action": ["type": "haptic", "hapticType": "it's \"<b>\""]],
    ]
    let attribute = overrides.text.replacing("&", with: "&amp;").replacing("'", with: "&#39;")
    let screen = ScreenPayload(
      id: "only", html: "<ramp-component key=card instance='c\"1' overrides='\(attribute)'/><p>after</p>")
    flow.screens = [screen]
    let page = try await ShownPage(
      PageDocument(screen, of: flow, index: 0, context: nil, variables: ["v": "shown"], locale: "en"))
    try await page.click("[data-ramp-id$=\":go\"]")
    try await page.settle()
    observe(
      "component",
      [
        "title": try await page.text("h2"), "elements": try await page.value("document.querySelectorAll('i').length"),
        "src": try await page.value("document.querySelector('img').getAttribute('src')"),
        "ids": try await page.value(
          "[...document.querySelectorAll('[data-ramp-id]')].map((one) => one.dataset.rampId)"),
        "messages": .array(page.messages), "after": try await page.text("p"),
        "next": try await page.value("document.querySelector('p').previousElementSibling.dataset.rampComponent"),
      ])
    page.close()
  }
}
