import RampKitFlow
import TesseraBridge

/// Actions that run when a page is shown.
@MainActor
enum PageOnOpen {
  private static func element(_ id: String, _ actions: JSONValue) -> String {
    "<i id=\(id) data-on-open-actions='\(actions.text)'></i>"
  }

  private static func haptic(_ name: String) -> JSONValue { ["type": "haptic", "hapticType": .string(name)] }

  static func run(_ arguments: [String]) async throws {
    try await sequence()
    try await endings()
    try await leaving()
  }

  private static func show(_ page: ShownPage, _ isVisible: Bool = true) {
    page.send(.visible(isVisible, screenIndex: 2, screenId: "only"))
  }

  private static func sequence() async throws {
    let page = try await ShownPage(
      html: element(
        "a",
        [
          haptic("first"), ["type": "wait", "waitMs": 30], ["type": "setVariable", "key": "name", "value": "Ada"],
          5, ["type": "nothing"], ["type": "wait", "duration": 20], ["type": "addClass", "class": "done"],
          ["type": "wait", "waitMs": "no number", "duration": 1], haptic("last"),
        ])
        + element("b", [["type": "requestReview"]]) + "<i id=c data-on-open-actions='{broken'></i>"
        + "<i id=d data-on-open-actions='{}'></i><p>${name}</p>",
      js: """
        window.seen = [];
        document.addEventListener("rampkit:screen-visible", (event) => { seen.push(["document", event.detail, __rampkitScreenVisible]) });
        window.addEventListener("rampkit:screen-visible", (event) => { seen.push(["window"]) });
        """)
    observe("visible before", try await page.value("__rampkitScreenVisible"))
    observe("before", .array(page.messages))
    show(page)
    // The wait before the last has the default of a second.
    try await page.wait(messages: 4)
    observe("messages", .array(page.messages))
    observe("events", try await page.value("seen"))
    observe("text", try await page.text("p"))
    observe("class", try await page.value("a.className"))
    page.forget()
    // Once for each element, however often the page is shown. An element that came later has its turn.
    show(page, false)
    try await page.wait("__rampkitScreenVisible === false")
    let late = JSONValue.string(element("late", [haptic("late")])).text
    try await page.value("document.body.insertAdjacentHTML('beforeend', \(late))")
    show(page)
    show(page)
    try await page.wait(messages: 1)
    try await page.settle()
    observe("again", .array(page.messages))
    observe("events again", try await page.value("seen.length"))
    page.close()
  }

  /// What ends a sequence. Each element has another ending; nothing may follow it.
  private static func endings() async throws {
    let actions = [
      "navigate", "continue", "goBack", "close", "showPaywall", "onboardingFinished", "finishOnboarding", "finish",
    ]
    let page = try await ShownPage(
      html: actions.map { element($0, [["type": .string($0)], haptic("after \($0)")]) }.joined()
        + element("other", [["type": "wait", "waitMs": 50], haptic("other")]))
    show(page)
    try await page.wait(messages: actions.count + 1)
    try await page.settle()
    observe("endings", .array(page.messages.map { $0["hapticType"] ?? $0["type"] ?? .null }))
    page.close()
  }

  private static func leaving() async throws {
    for wait in [100, 1_000, 10_000] {
      let page = try await ShownPage(
        html: element("a", [haptic("begun"), ["type": "wait", "waitMs": .integer(Int64(wait))], haptic("never")]))
      defer { page.close() }
      show(page)
      try await page.wait(messages: 1)
      show(page, false)
      try await page.settle()
      // On a busy machine the wait can end before the page is left.
      guard page.messages.count == 1 else { continue }
      show(page)
      // Timers of a page end in their order: this one begins later and takes longer than the wait of the sequence.
      try await page.value("setTimeout(() => { window.isLater = true }, \(wait + 150)), null")
      try await page.wait("window.isLater")
      try await page.settle()
      observe("left", .array(page.messages.map { $0["hapticType"] ?? .null }))
      return
    }
  }
}
