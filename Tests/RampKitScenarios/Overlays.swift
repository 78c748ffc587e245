#if canImport(CTesseraWebKitGTK)
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
      case "transitions": try await transitions(arguments.dropFirst().first)
      case "ends": try await ends()
      case "crash": try await crash()
      case "flood": try await flood()
      default: try await hostile()
      }
    }

    /// Counts the frames that a page draws.
    private static let counting =
      "window.drawn = 0; (function draw() { drawn += 1; requestAnimationFrame(draw); })();"

    /// Ten pages at once: each is visible, has a width and draws frames.
    private static func alive() async throws {
      let flow = try ShownFlow(.numbered(10, js: counting))
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
      let flow = try ShownFlow(
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
      try await flow.rest()
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
      try await flow.send("{type: 'rampkit:open-url', url: 'https://a.example/'}", from: 1)
      observe("opened", .array(flow.opened.map { .string($0) }))
      observe("events", .array(flow.events.map { .string($0.name) }))
      flow.overlay.hideOverlay()
    }

    /// The frames of each movement by the frame clock. Argument: a folder for pictures of their middles.
    private static func transitions(_ folder: String?) async throws {
      let flow = try ShownFlow(.numbered(2))
      try await flow.show()
      observe("reveal", measured(flow.takeFrames(), FlowTiming.standard.reveal) { $0.opacity })
      for (name, animation, span) in [
        ("fade", "fade", FlowTiming.standard.curtain * 2), ("slide", "slide", FlowTiming.standard.slide),
        ("slideFade", "slideFade", FlowTiming.standard.slideFade),
      ] {
        let page = flow.overlay.active
        try await flow.send(
          "{type: '\(page == 0 ? "continue" : "rampkit:goBack")', animation: '\(animation)'}", from: page)
        // What comes during a transition is dropped.
        try await flow.send("{type: 'continue'}", from: page)
        try await flow.rest()
        observe(
          name,
          measured(flow.takeFrames(), span) { frame in
            name == "fade"
              ? frame.curtain : frame.pages.last.map { 1 - abs($0.shiftInWidths) - abs($0.shift) / 200 } ?? 0
          })
        observe("\(name) active", .integer(Int64(flow.overlay.active)))
      }
      try await flow.send("'rampkit:close'", from: flow.overlay.active)
      observe("outcome", .string(await flow.overlay.waitUntilClosed().rawValue))
      let timing = FlowTiming.standard
      observe("dismiss", measured(flow.takeFrames(), timing.dismissDelay + timing.dismiss) { $0.opacity })
    }

    /// The number of frames, the milliseconds between the first and the last one, and the extremes of a value in them.
    private static func measured(
      _ frames: [(time: Duration, frame: OverlayFrame)], _ span: Duration, _ value: (OverlayFrame) -> Double
    ) -> JSONValue {
      guard let first = frames.first, let last = frames.last else { return .null }
      let values = frames.map { value($0.frame) }
      func number(_ number: Double?) -> JSONValue { number.flatMap { JSONNumber($0) }.map { .number($0) } ?? .null }
      return [
        "frames": .integer(Int64(frames.count)), "milliseconds": number((last.time - first.time) / .milliseconds(1)),
        "span": number(span / .milliseconds(1)), "least": number(values.min()), "most": number(values.max()),
        "first": number(values.first), "last": number(values.last),
      ]
    }

    /// Finishing, the paywall, and closing by the person.
    private static func ends() async throws {
      let first = try ShownFlow(.numbered(2))
      try await first.show()
      try await first.send("{type: 'rampkit:show-paywall', payload: {paywallId: 'pw1'}}", from: 0)
      observe("paywall", .array(first.paywalls))
      observe("after the paywall", .bool(first.overlay.isMoving))
      try await first.send("{type: 'rampkit:onboarding-finished', payload: {ok: true, text: '</script>'}}", from: 0)
      observe("outcome", .string(await first.overlay.waitUntilClosed().rawValue))
      observe("finished", .array(first.finished))
      observe("events", .array(first.events.map { .string($0.name) }))
      let second = try ShownFlow(.numbered(3))
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
      let flow = try ShownFlow(.numbered(2))
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

    /// 100,000 messages of one page; the others and the person go on.
    private static func flood() async throws {
      let flow = try ShownFlow(.numbered(2))
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

    /// What a page may not do.
    private static func hostile() async throws {
      let flow = try ShownFlow(.numbered(2, js: "window.frames_ = document.createElement('iframe');"))
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
      for address in [
        "https://127.0.0.1:9/", "file:///etc/passwd", "tessera-content://flow-1/1.html", "data:text/html,x",
      ] {
        _ = try? await flow.overlay.views[0].evaluate("location.href = \(ScriptText.quoted(address)); void 0")
        try await Task.sleep(for: .milliseconds(200))
      }
      let nested =
        "JSON.stringify([]).repeat(0) + '{\"type\":\"rampkit:variables\",\"vars\":' + '{\"a\":'.repeat(10000) + '1' + '}'.repeat(10000) + '}'"
      try await flow.send(nested, from: 1)
      try await flow.send("'x'.repeat(3000000)", from: 1)
      try await flow.send("{type: 'rampkit:variables', vars: {name: 'x'.repeat(1000000)}}", from: 1)
      try await flow.rest()
      observe("active", .integer(Int64(flow.overlay.active)))
      observe("answers", .integer(Int64(JSONValue.object(flow.overlay.answers).text.utf8.count)))
      observe("open", .bool(!flow.overlay.isMoving))
      flow.overlay.hideOverlay()
    }
  }

  enum ScriptText {
    static func quoted(_ text: String) -> String { JSONValue.string(text).text }
  }
#endif
