import Glibc
import RampKit
import TesseraBridge
import TesseraWebContent

/// A flow with several pages in its window. Argument: the part.
@MainActor
enum Overlays {
  static func run(_ arguments: [String]) async throws {
    switch arguments.first {
    case "alive": try await alive()
    case "senders": try await senders()
    case "transitions": try await transitions()
    case "ends": try await ends()
    case "crash": try await crash()
    case "flood": try await flood()
    case "hang": try await hang()
    default: try await hostile()
    }
  }

  /// Counts the frames that a page draws.
  private static let counting =
    "window.drawn = 0; (function draw() { drawn += 1; requestAnimationFrame(draw); })();"

  /// Ten pages at once: each is visible, has a width and draws frames.
  private static func alive() async throws {
    let flow = ShownFlow(.numbered(10, js: counting))
    try await flow.show()
    for page in 0..<10 {
      let before = try await flow.value(page, "drawn")
      guard case .integer(let count) = before else { return observe("drawn", before) }
      try await flow.wait(page, "drawn > \(count + 5)")
      observe(
        "page",
        try await flow.value(
          page, "({visibility: document.visibilityState, isWide: innerWidth > 0, shown: __rampkitScreenVisible})"))
    }
    observe(
      "memory",
      [
        "processes": .integer(Int64(ProcessMemory.processes)),
        "kilobytes": .integer(Int64(ProcessMemory.proportional())),
      ])
    flow.overlay.hideOverlay()
  }

  /// Messages of the page that is not shown; variables between pages; the state that pages learn.
  private static func senders() async throws {
    let flow = ShownFlow(
      .numbered(
        3,
        js:
          "window.states = []; document.addEventListener('rampkit:onboarding-state', (event) => states.push(event.detail));"
      ))
    try await flow.show()
    for message in ["'next'", "'rampkit:close'", "'rampkit:onboarding-finished'", "'rampkit:show-paywall'"] {
      try await flow.send(message, from: 1)
    }
    try await flow.send("'haptic:x'", from: 1)
    try await flow.send("'rampkit:review'", from: 1)
    try await flow.send("'rampkit:review'", from: 1)
    observe(
      "hidden",
      [
        "active": .integer(Int64(flow.overlay.active)), "isMoving": .bool(flow.overlay.isMoving),
        "finished": .integer(Int64(flow.finished.count)), "played": .integer(Int64(flow.played.count)),
        "reviews": .integer(Int64(flow.reviews)),
      ])
    let hostile = #"{type: "rampkit:variables", vars: {name: "A \"q\" \u2028 </script>\n"}}"#
    try await flow.send(hostile, from: 0)
    for page in 0..<3 { try await flow.wait(page, "window.__rampkitVariables.name.startsWith('A')") }
    observe("value", try await flow.value(2, "window.__rampkitVariables.name"))
    observe("text", try await flow.value(2, "document.querySelector('p').textContent"))
    try await flow.send("{type: 'rampkit:navigate', targetScreenId: 's1', animation: 'slide'}", from: 0)
    // The program may not have the message yet.
    try await flow.until { flow.overlay.active == 1 && flow.reviews > 0 }
    try await flow.rest()
    try await flow.wait(1, "__rampkitScreenVisible")
    try await flow.wait(0, "!__rampkitScreenVisible")
    observe(
      "shown",
      [
        "active": .integer(Int64(flow.overlay.active)), "reviews": .integer(Int64(flow.reviews)),
        "visible": try await flow.value(1, "__rampkitScreenVisible"),
        "left": try await flow.value(0, "__rampkitScreenVisible"),
        "state": try await flow.value(2, "states.at(-1)"),
      ])
    flow.notifications = ["granted": true, "status": "granted", "canAskAgain": false]
    try await flow.send("'rampkit:request-notification-permission'", from: 1)
    try await flow.wait(1, "window.__rampkitVariables.notificationsPermission?.granted === true")
    observe("notifications", try await flow.value(0, "window.__rampkitVariables.notificationsPermission ?? null"))
    observe("events", .array(flow.events.map { .string($0.name) }))
    flow.overlay.hideOverlay()
  }

  /// The frames of each movement by the frame clock.
  private static func transitions() async throws {
    let flow = ShownFlow(.numbered(2))
    try await flow.show()
    observe("reveal", try await movement(of: flow, 220) { 220 * cubic($0.opacity) })
    for (name, span) in [("fade", 320.0), ("slide", 300), ("slideFade", 320)] {
      let page = flow.overlay.active
      try await flow.send("{type: '\(page == 0 ? "continue" : "rampkit:goBack")', animation: '\(name)'}", from: page)
      // What comes during a transition is dropped.
      try await flow.send("{type: 'continue'}", from: page)
      observe(
        name,
        try await movement(of: flow, span) { frame in
          guard let last = frame.pages.last else { return 0 }
          guard name == "fade" else { return span * cubic(1 - abs(last.shiftInWidths) - abs(last.shift) / 200) }
          return last.index == page
            ? 160 * (1 - (1 - frame.curtain).squareRoot()) : 160 + 160 * (1 - frame.curtain).squareRoot()
        })
      observe("\(name) active", .integer(Int64(flow.overlay.active)))
    }
    try await flow.send("'rampkit:close'", from: flow.overlay.active)
    observe("outcome", .string(await flow.overlay.waitUntilClosed().rawValue))
    // The end closes the window, so that no frame shows it. Its time can be ahead of the clock by a frame.
    let end = MainLoop.now + .milliseconds(17)
    observe("dismiss", measured(flow.takeFrames(), 470, end: end) { 150 + 320 * cubic(1 - $0.opacity) })
  }

  /// Waits until a movement is over, and judges its frames as `measured` does.
  private static func movement(
    of flow: ShownFlow, _ span: Double, _ elapsed: (OverlayFrame) -> Double
  ) async throws -> JSONValue {
    // It may end by the clock before the frame that shows its end.
    try await flow.rest()
    try await flow.until { flow.frames.last.map { elapsed($0.frame) >= span - 0.5 } ?? false }
    return measured(flow.takeFrames(), span, end: flow.lastDrawing, elapsed)
  }

  /// The part of a movement that has passed, from its value: the reverse of a cubic ease-out.
  private static func cubic(_ value: Double) -> Double { 1 - cbrt(1 - value) }

  /// Judges the frames of a movement by its reverse: each frame tells when the movement began, and all must say the
  /// same.
  ///
  /// - Parameters:
  ///   - span: in milliseconds.
  ///   - end: when the end was there.
  ///   - elapsed: the time since the start that a frame shows, in milliseconds.
  private static func measured(
    _ frames: [(time: Duration, frame: OverlayFrame)], _ span: Double, end: Duration,
    _ elapsed: (OverlayFrame) -> Double
  ) -> JSONValue {
    let times = frames.map { $0.time / .milliseconds(1) }
    // What does not move yet, or no longer, tells no time.
    let starts = zip(times, frames).compactMap { time, frame -> Double? in
      let elapsed = elapsed(frame.frame)
      return elapsed > 1 && elapsed < span - 1 && abs(elapsed - 150) > 1 ? time - elapsed : nil
    }
    guard let start = starts.sorted().dropFirst(starts.count / 2).first else { return .null }
    return [
      "frames": .integer(Int64(starts.count)), "differs": .integer(Int64(starts.count { abs($0 - start) > 1 })),
      "isOver": .bool(end / .milliseconds(1) - start >= span - 1),
    ]
  }

  /// Finishing, the paywall, and closing by the user.
  private static func ends() async throws {
    let first = ShownFlow(.numbered(2))
    try await first.show()
    try await first.send("{type: 'rampkit:show-paywall', payload: {paywallId: 'pw1'}}", from: 0)
    observe("paywall", .array(first.paywalls))
    observe("after the paywall", .bool(first.overlay.isMoving))
    try await first.send("{type: 'rampkit:onboarding-finished', payload: {ok: true, text: '</script>'}}", from: 0)
    observe("outcome", .string(await first.overlay.waitUntilClosed().rawValue))
    observe("finished", .array(first.finished))
    observe("events", .array(first.events.map { .string($0.name) }))
    let second = ShownFlow(.numbered(3))
    try await second.show()
    second.overlay.showOverlay()
    try await second.send("'rampkit:navigate:s2'", from: 0)
    try await second.rest()
    var path: [JSONValue] = [.integer(Int64(second.overlay.active))]
    for _ in 0..<2 {
      second.overlay.window.onBack?()
      try await second.rest()
      path.append(.integer(Int64(second.overlay.active)))
    }
    second.overlay.window.onBack?()
    path.append(.string(await second.overlay.waitUntilClosed().rawValue))
    observe("back", .array(path))
  }

  /// The process of the pages is killed, twice.
  private static func crash() async throws {
    let flow = ShownFlow(.numbered(2))
    try await flow.show()
    try await flow.send("{type: 'rampkit:variables', vars: {name: 'kept'}}", from: 0)
    ProcessMemory.killPages()
    for page in 0..<2 { try await flow.wait(page, "window.__rampkitVariables?.name === 'kept'") }
    observe("variables", try await flow.value(0, "document.querySelector('p').textContent"))
    observe("visible", try await flow.value(0, "__rampkitScreenVisible"))
    try await flow.rest()
    ProcessMemory.killPages()
    observe("outcome", .string(await flow.overlay.waitUntilClosed().rawValue))
  }

  /// 100,000 messages of one page; the others and the user go on.
  private static func flood() async throws {
    let flow = ShownFlow(.numbered(2))
    try await flow.show()
    let keeps = flow.keeps
    _ = try await flow.overlay.views[0].evaluate(
      "for (let i = 0; i < 100000; i += 1) { webkit.messageHandlers.rampkit.postMessage({type: 'rampkit:variables', vars: {n: i}}); }"
    )
    await flow.overlay.views[0].settle(atMost: .seconds(60))
    try await flow.until { !flow.logs.isEmpty }
    observe("kept", .integer(Int64(flow.keeps - keeps)))
    observe("logs", .array(flow.logs.map { .string($0) }))
    flow.overlay.window.onBack?()
    observe("outcome", .string(await flow.overlay.waitUntilClosed().rawValue))
  }

  /// A page that computes for ever; the user sees the flow again, and then its end.
  private static func hang() async throws {
    let flow = ShownFlow(.numbered(2))
    try await flow.show()
    for round in 0..<2 {
      Task { _ = try? await flow.overlay.views[1].evaluate("while (true) {}") }
      try await letPass(.seconds(1))
      // WebKit notices when it has something to say to the page.
      flow.overlay.set("round", .integer(Int64(round)))
      if round == 0 {
        try await flow.wait(0, "window.__rampkitVariables?.round === 0 && !window.before")
        observe("again", true)
      }
    }
    observe("outcome", .string(await flow.overlay.waitUntilClosed().rawValue))
  }

  /// What a page may not do.
  private static func hostile() async throws {
    let flow = ShownFlow(.numbered(2, js: "window.frames_ = document.createElement('iframe');"))
    try await flow.show()
    observe("handlers", try await flow.value(0, "Object.keys(webkit.messageHandlers)"))
    observe("scripts", try await flow.value(0, "typeof SelfNativeBridge"))
    // A frame has no channel, and the policy lets none load.
    _ = try await flow.overlay.views[0].evaluate(
      """
      for (const frame of [{srcdoc: "<script>try { webkit.messageHandlers.rampkit.postMessage('rampkit:close') } catch {}</script>"},
        {src: "https://127.0.0.1:9/"}, {src: "data:text/html,<script>webkit.messageHandlers.rampkit.postMessage('rampkit:close')</script>"}]) {
        document.body.appendChild(Object.assign(document.createElement("iframe"), frame));
      }
      void 0
      """)
    let own = flow.overlay.views[0].shown
    for address in ["https://127.0.0.1:9/", "file:///etc/passwd", own.replacing("0.html", with: "1.html")] {
      _ = try? await flow.overlay.views[0].evaluate("location.href = \(ScriptText.quoted(address)); void 0")
      try await letPass(.milliseconds(200))
    }
    observe("still there", .bool(flow.overlay.views[0].shown == own))
    // The user pressed nothing.
    try await flow.send("{type: 'rampkit:open-url', url: 'https://a.example/'}", from: 0)
    observe("opened", .array(flow.opened.map { .string($0) }))
    let nested =
      "'{\"type\":\"rampkit:variables\",\"vars\":' + '{\"a\":'.repeat(10000) + '1' + '}'.repeat(10000) + '}'"
    try await flow.send(nested, from: 1)
    try await flow.send("'x'.repeat(3000000)", from: 1)
    try await flow.send("{type: 'rampkit:variables', vars: {name: 'x'.repeat(1000000)}}", from: 1)
    try await flow.rest()
    observe("active", .integer(Int64(flow.overlay.active)))
    observe("answers", .integer(Int64(JSONValue.object(flow.overlay.answers).text.utf8.count)))
    observe("closed", .array(flow.events.map { .string($0.name) }))
    // It still serves its user.
    try await flow.send("'next'", from: 0)
    try await flow.rest()
    observe("next", .integer(Int64(flow.overlay.active)))
    flow.overlay.hideOverlay()
  }
}

enum ScriptText {
  static func quoted(_ text: String) -> String { JSONValue.string(text).text }
}
