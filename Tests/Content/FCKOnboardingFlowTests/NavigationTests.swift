import Testing

@testable import FCKOnboardingFlow

/// Where presses lead (NativeScreens.md, rule 7).
@Suite struct NavigationTests {
  private static let three = FlowConfig(
    [Element.button("next", "", .next), Element.button("far", taps: [TapBehavior(.navigate(screenId: "s2"))])],
    [Element.button("next", "", .next), Element.button("back", "", .back)],
    [
      Element.button("next", "", .next), Element.button("back", taps: [TapBehavior(.back)]),
      Element.button("skip", "", .skip), Element.button("end", "", .complete),
      Element.button("lost", taps: [TapBehavior(.navigate(screenId: "nowhere"))]),
      Element.button("self", taps: [TapBehavior(.navigate(screenId: "s2"))]),
      Element.button("first", taps: [TapBehavior(.navigate(screenId: "s0"))]),
    ])

  @Test("Next goes on, and after the last screen completes")
  func next() {
    var showing = Showing(Self.three)
    #expect(showing.send(.tap("next")).first == .show(screenIndex: 1, .forward))
    showing.send(.tap("next"))
    #expect(showing.session.screenIndex == 2 && !showing.session.isFinished)
    showing.send(.tap("next"))
    #expect(showing.session.isFinished)
    #expect(showing.reports.map(\.outcome) == [.completed])
  }

  @Test("Back leads to where the user came from, not to the screen before")
  func back() {
    var showing = Showing(Self.three)
    showing.send(.tap("far"))
    #expect(showing.session.screenIndex == 2)
    #expect(showing.send(.tap("back")).first == .show(screenIndex: 0, .backward))
    #expect(showing.send(.back) == [], "there is nothing before the first screen")
    showing.send(.tap("next"))
    showing.send(.tap("next"))
    showing.send(.tap("first"))
    #expect(showing.session.screenIndex == 0)
    #expect(showing.send(.back) == [], "a way to a screen on the way back is that way back")
    showing.send(.tap("next"))
    showing.send(.tap("next"))
    var way: [Int] = []
    for _ in 0..<3 {
      showing.send(.back)
      way.append(showing.session.screenIndex)
    }
    #expect(way == [1, 0, 0])
  }

  @Test("A way to a screen that is missing is noted, and one to the shown screen is none")
  func unknown() {
    var showing = Showing(Self.three)
    showing.send(.tap("far"))
    let effects = showing.send(.tap("lost"))
    guard case .note(let note)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(effects.count == 1 && note.contains("s2"))
    #expect(showing.send(.tap("self")) == [])
    #expect(showing.session.screenIndex == 2)
  }

  @Test(
    "Complete and skip end the showing at once", arguments: [("end", FlowReport.Outcome.completed), ("skip", .skipped)])
  func ends(button: String, outcome: FlowReport.Outcome) {
    var showing = Showing(Self.three)
    showing.send(.tap("far"))
    let effects = showing.send(.tap(button))
    #expect(effects.last == .finished(FlowReport(outcome: outcome, answers: FlowAnswers())))
    for input in [FlowInput.tap("next"), .back, .skip, .text("a", "b")] { #expect(showing.send(input) == []) }
    #expect(showing.reports.count == 1)
  }

  @Test("A behaviour that leads somewhere wins over the button's action")
  func behaviorWins() {
    let haptics = TapBehavior(.haptics(.heavy))
    var showing = Showing(
      FlowConfig(
        [Element.button("a", "", .skip, taps: [haptics, TapBehavior(.navigate(screenId: "s1"))])],
        [Element.button("b", "", .complete, taps: [haptics])]))
    showing.send(.tap("a"))
    #expect(showing.session.screenIndex == 1)
    #expect(showing.send(.tap("b")).first == .playHaptics(.heavy))
    #expect(showing.reports.map(\.outcome) == [.completed])
  }

  @Test("Every kind of element with behaviours responds")
  func allKinds() {
    let taps = [TapBehavior(.haptics(.light)), TapBehavior(.navigate(screenId: "s1"))]
    let elements: [FlowElement] = [
      Element.stack("stack", [Element.text("inner", "x")], taps: taps), Element.text("text", "x", taps: taps),
      Element.image("image", "https://example.org/a.png", taps: taps), Element.button("button", taps: taps),
      Element.entry("entry") { $0.tapBehaviors = taps },
    ]
    for id in ["stack", "text", "image", "button", "entry", "inner"] {
      var showing = Showing(FlowConfig(elements, []))
      #expect(showing.send(.tap(id)).prefix(2) == [.playHaptics(.light), .show(screenIndex: 1, .forward)])
    }
  }

  @Test("The innermost element that can be pressed gets the press, and fields keep theirs")
  func nested() {
    var showing = Showing(
      FlowConfig([
        Element.stack(
          "outer",
          [
            Element.stack("middle", [Element.text("label", "x")]), Element.entry("field"), Element.toggle("switch"),
            Element.button("inner", taps: [TapBehavior(.haptics(.light))]),
          ], taps: [TapBehavior(.complete)])
      ]))
    #expect(showing.send(.tap("inner")) == [.playHaptics(.light)])
    #expect(showing.send(.tap("field")) == [])
    #expect(showing.send(.tap("switch")) == [])
    #expect(showing.send(.tap("root")) == [])
    showing.send(.tap("label"))
    #expect(showing.session.isFinished)
  }

  // MARK: - Order and time

  @Test("Haptics and the animation come first, then the wait, then the way")
  func order() throws {
    let taps = [
      TapBehavior(.navigate(screenId: "s1"), delay: 0.1), TapBehavior(.bump(scale: 0.96), duration: 0.2),
      TapBehavior(.opacity(0.8)), TapBehavior(.haptics(.medium)), TapBehavior(.haptics(.heavy)), TapBehavior(.complete),
    ]
    var showing = Showing(FlowConfig([Element.button("ok", taps: taps)], []))
    let effects = showing.send(.tap("ok"))
    let timer = try #require(effects.timers.first)
    #expect(
      effects == [
        .playHaptics(.medium), .animatePress("ok", PressEffect(scale: 0.96, opacity: 0.8, duration: 0.2)),
        .startTimer(timer, after: .milliseconds(100)),
      ])
    #expect(showing.session.screenIndex == 0)
    #expect(
      showing.send(.timer(timer)) == [
        .show(screenIndex: 1, .forward),
        .event(ShowingEvent(name: .screenViewed, screenIndex: 1, screenId: "s1")),
      ])
  }

  @Test("While a way waits, another press and the way back do nothing, but fields do and closing ends")
  func waiting() throws {
    let flow = FlowConfig(
      [
        Element.button("ok", taps: [TapBehavior(.navigate(screenId: "s1"), delay: 1)]),
        Element.button("end", "", .complete, taps: [TapBehavior(.haptics(.light))]), Element.entry("field"),
      ], [])
    var showing = Showing(flow)
    let timer = try #require(showing.send(.tap("ok")).timers.first)
    for input in [FlowInput.tap("ok"), .tap("end"), .back] { #expect(showing.send(input) == []) }
    #expect(showing.send(.text("field", "x")) == [.keepAnswers])
    showing.send(.timer(timer))
    #expect(showing.session.screenIndex == 1)
    #expect(showing.send(.timer(timer)) == [], "a timer counts once")

    var closed = Showing(flow)
    let second = try #require(closed.send(.tap("ok")).timers.first)
    closed.send(.skip)
    #expect(closed.reports.map(\.outcome) == [.skipped])
    #expect(closed.send(.timer(second)) == [])
  }

  @Test(
    "Hostile times and sizes have limits",
    arguments: [-1, 1e300, -.infinity, .infinity, .nan] as [Double])
  func hostile(value: Double) {
    let taps = [
      TapBehavior(.complete, delay: value), TapBehavior(.bump(scale: value), duration: value),
      TapBehavior(.opacity(value), duration: value),
    ]
    let plan = TapPlan(Element.button("a", taps: taps))
    #expect(Duration.zero...(.seconds(10)) ~= plan.delay)
    #expect(0.1...2 ~= plan.press.scale && 0...1 ~= plan.press.opacity && 0...5 ~= plan.press.duration)
  }

  @Test("A way in a circle makes the way back no longer")
  func circle() {
    var showing = Showing(
      FlowConfig(
        [Element.button("go", taps: [TapBehavior(.navigate(screenId: "s1"))])],
        [Element.button("go", taps: [TapBehavior(.navigate(screenId: "s0"))])]))
    var directions: [FlowDirection] = []
    for _ in 0..<5 {
      if case .show(_, let direction)? = showing.send(.tap("go")).first { directions.append(direction) }
    }
    #expect(directions == [.forward, .backward, .forward, .backward, .forward])
    #expect(showing.send(.back).first == .show(screenIndex: 0, .backward))
    #expect(showing.send(.back) == [])
  }

  @Test("A flow without screens is over at once")
  func empty() {
    var showing = Showing(FlowConfig(version: 1, screens: []))
    #expect(showing.reports.map(\.outcome) == [.skipped])
    #expect(showing.events == [])
    #expect(showing.session.screen == nil)
    #expect(showing.send(.skip) == [])
  }
}
