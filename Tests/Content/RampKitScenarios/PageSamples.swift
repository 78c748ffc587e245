import RampKitFlow
import TesseraBridge

/// The screens of a sample. Argument: its file.
@MainActor
enum PageSamples {
  static func run(_ arguments: [String]) async throws {
    let flow = try Sample.flow(arguments.first ?? "")
    guard flow.components.isEmpty else { return try await components(flow) }
    try await welcome(flow)
    try await profile(flow)
    try await finish(flow)
    try await fallback()
  }

  private static func page(_ flow: OnboardingData, _ index: Int, locale: String = "en_US") async throws -> ShownPage {
    let variables = flow.variables.reduce(into: JSONObject()) { $0[$1.name] = $1.initialValue }
    return try await ShownPage(
      PageDocument(
        flow.screens[index], of: flow, index: index, context: nil, variables: variables, locale: locale))
  }

  private static func welcome(_ flow: OnboardingData) async throws {
    let page = try await page(flow, 0)
    observe("welcome", try await page.text("h1"))
    observe("total", try await page.value("RK_TOTAL_SCREENS"))
    observe("context", try await page.value("rampkitContext"))
    observe("variables", try await page.value("__rampkitVariables"))
    observe("style", try await page.value("getComputedStyle(document.querySelector('main')).padding"))
    page.send(["userName": "Ada"])
    try await page.wait("document.querySelector('h1').textContent === 'Hello Ada'")
    try await page.click("#go")
    try await page.settle()
    observe("welcome messages", .array(page.messages))
    page.close()
  }

  private static func profile(_ flow: OnboardingData) async throws {
    let page = try await page(flow, 1)
    try await page.click("#next")
    try await page.settle()
    observe("empty name", .array(page.messages))
    page.forget()
    try await page.value(
      "{const field = document.getElementById('name'); field.value = 'Ada'; field.dispatchEvent(new Event('input'))}")
    try await page.settle()
    observe("typed", .array(page.messages))
    page.forget()
    // The program accepts the value, and tells the page. A call of the program waits until the page asks for it, so that a
    // click of this program can overtake it.
    page.send(["userName": "Ada"])
    try await page.wait("__rampkitVariables.userName === 'Ada'")
    try await page.click("#next")
    try await page.settle()
    observe("with name", .array(page.messages))
    page.close()
  }

  private static func finish(_ flow: OnboardingData) async throws {
    let page = try await page(flow, 2)
    observe("finish", try await page.text("p"))
    try await page.click("button")
    try await page.settle()
    observe("finish messages", .array(page.messages))
    page.close()
  }

  private static func components(_ flow: OnboardingData) async throws {
    for locale in ["de_AT", "ar", "fr_FR"] {
      let page = try await page(flow, 0, locale: locale)
      observe(
        "locale \(locale)",
        [
          "text": try await page.text("p"), "lang": try await page.value("document.documentElement.lang"),
          "dir": try await page.value("document.documentElement.dir"),
          "color": try await page.value("getComputedStyle(document.querySelector('p')).color"),
          "title": try await page.text("[data-ramp-id=\"c1:title\"]"),
          "component": try await page.value(
            "document.querySelector('[data-ramp-component]').getAttribute('data-ramp-component')"),
        ])
      page.close()
    }
  }

  private static func fallback() async throws {
    let screen = ScreenPayload(id: "only", label: "All <set>", html: "")
    var flow = OnboardingData()
    flow.screens = [screen]
    let page = try await ShownPage(
      PageDocument(screen, of: flow, index: 0, context: nil, variables: [:], locale: "en"))
    try await page.click("button")
    try await page.settle()
    observe("fallback", ["label": try await page.text("h1"), "messages": .array(page.messages)])
    page.close()
  }
}
