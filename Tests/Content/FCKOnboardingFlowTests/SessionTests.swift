import TestSupport
import Testing

@testable import FCKOnboardingFlow

/// Events, what is required, and marks.
@Suite struct SessionTests {
  // MARK: - Events

  @Test("Each event comes once, and one for each arrival at a screen")
  func events() {
    var showing = Showing(
      FlowConfig(
        [Element.button("next", "", .next)], [Element.button("next", "", .next), Element.button("back", "", .back)]))
    #expect(showing.session.begin() == [], "it begins once")
    for id in ["next", "back", "next", "next"] { showing.send(.tap(id)) }
    showing.send(.skip)
    #expect(
      showing.events == [
        "flow_viewed s0", "screen_viewed s0", "screen_viewed s1", "screen_viewed s0", "screen_viewed s1",
        "flow_completed s1",
      ])
    #expect(showing.reports.count == 1)
  }

  @Test("Closing is one event")
  func skipEvents() {
    var showing = Showing(FlowConfig([Element.entry("name", required: true)]))
    showing.send(.text("name", "Ada"))
    showing.send(.skip)
    showing.send(.skip)
    #expect(showing.events == ["flow_viewed s0", "screen_viewed s0", "flow_skipped s0"])
    #expect(showing.reports.map { $0.answers["name"] } == ["Ada"])
  }

  @Test("Nothing happens before the beginning")
  func early() {
    var session = OnboardingSession(FlowConfig([Element.button("a", "", .complete)]))
    #expect(session.received(.tap("a")) == [] && session.received(.skip) == [])
    #expect(!session.isFinished)
  }

  // MARK: - What is required

  private static let form = FlowConfig(
    [Element.button("next", "", .next)],
    [
      Element.entry("name", required: true), Element.choice("goal", required: true),
      Element.date("born", required: true),
      Element.entry("free"), Element.button("next", "", .next), Element.button("end", "", .complete),
      Element.button("jump", taps: [TapBehavior(.navigate(screenId: "s2"), delay: 0.5)]),
      Element.button("back", "", .back), Element.button("skip", "", .skip),
      Element.button("first", taps: [TapBehavior(.navigate(screenId: "s0"))]),
    ], [])

  @Test(
    "Every way forward waits until the screen is filled, and says what is missing", arguments: ["next", "end", "jump"])
  func required(button: String) {
    var showing = Showing(Self.form)
    showing.send(.tap("next"))
    #expect(
      showing.send(.tap(button)) == [.redraw("name"), .redraw("goal"), .redraw("born"), .focus("name")])
    #expect(showing.marked == ["name", "goal", "born"])
    #expect(showing.send(.tap(button)) == [.focus("name")], "the marks are there already")
    #expect(showing.send(.text("name", "  ")) == [.keepAnswers], "spaces are nothing")
    #expect(showing.send(.text("name", "Ada")) == [.redraw("name"), .keepAnswers])
    #expect(showing.send(.option("goal", option: "a", isSelected: true)) == [.redraw("goal"), .keepAnswers])
    #expect(showing.marked == ["born"])
    #expect(showing.send(.tap(button)) == [.focus("born")])
    showing.send(.date("born", FlowDateTime(year: 1990)))
    #expect(showing.marked == [])
    let timers = showing.send(.tap(button)).timers
    for timer in timers { showing.send(.timer(timer)) }
    #expect(timers.count == (button == "jump" ? 1 : 0))
    #expect(showing.session.isFinished || showing.session.screenIndex == 2)
  }

  @Test("The ways back and out never wait", arguments: ["back", "skip", "first"])
  func neverBlocked(button: String) {
    var showing = Showing(Self.form)
    showing.send(.tap("next"))
    showing.send(.tap(button))
    #expect(showing.session.isFinished == (button == "skip"))
    #expect(showing.session.screenIndex == (button == "skip" ? 1 : 0))
    #expect(showing.marked == [])
  }

  /// Three screens, each with a field that must be filled and buttons to both others.
  private static let odd: FlowConfig = {
    let fields = (0..<3).map { index in
      [Element.entry("e\(index)", required: true), Element.button("end", "", .complete)]
        + (0..<3).map { Element.button("to\($0)", taps: [TapBehavior(.navigate(screenId: "s\($0)"))]) }
    }
    return FlowConfig(fields[0], fields[1], fields[2])
  }()

  @Test("A field that was emptied after a way back is required again, whatever the flow calls the way forward")
  func emptiedBehind() {
    var showing = Showing(Self.odd)
    showing.send(.text("e0", "a"))
    showing.send(.tap("to1"))
    showing.send(.tap("to0"))
    #expect(showing.session.screenIndex == 0, "the way back is free")
    showing.send(.text("e0", ""))
    for id in ["to1", "to2", "end"] {
      showing.send(.tap(id))
      #expect(showing.session.screenIndex == 0 && !showing.session.isFinished, "\(id)")
    }
    #expect(showing.marked == ["e0"])
  }

  @Test("No walk through an odd flow completes it with a screen on the way not filled", arguments: UInt64(1)...50)
  func randomWalks(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var showing = Showing(Self.odd)
    // The screens that lead to the shown one, and it.
    var way = [0]
    for _ in 0..<10_000 where !showing.session.isFinished {
      let here = showing.session.screenIndex
      let target = Int.random(in: 0..<3, using: &random)
      let inputs: [FlowInput] = [
        .text("e\(here)", ["", " ", "x"][target]), .tap("to\(target)"), .back,
        Int.random(in: 0..<20, using: &random) == 0 ? .tap("end") : .tap("to\(target)"),
      ]
      showing.send(inputs.randomElement(using: &random) ?? .back)
      let screen = showing.session.screenIndex
      if let place = way.firstIndex(of: screen) { way.removeSubrange((place + 1)...) } else { way.append(screen) }
    }
    #expect(showing.session.isFinished)
    for report in showing.reports {
      #expect(way.allSatisfy { report.answers["e\($0)"] == "x" }, "\(way): \(report.answers)")
    }
  }

  @Test("What was emptied while a way waited keeps the user there")
  func emptied() throws {
    var showing = Showing(
      FlowConfig(
        [
          Element.entry("name", required: true),
          Element.button("go", taps: [TapBehavior(.navigate(screenId: "s1"), delay: 1)]),
        ], []))
    showing.send(.text("name", "Ada"))
    let timer = try #require(showing.send(.tap("go")).timers.first)
    showing.send(.text("name", ""))
    #expect(showing.send(.timer(timer)) == [.redraw("name"), .focus("name")])
    #expect(showing.session.screenIndex == 0)
    showing.send(.text("name", "Ada"))
    #expect(showing.send(.tap("go")).timers.count == 1, "a press counts again")
  }

  @Test("A required choice without options keeps nobody")
  func noOptions() {
    var showing = Showing(
      FlowConfig([Element.choice("c", required: true) { $0.options = [] }, Element.button("end", "", .complete)]))
    showing.send(.tap("end"))
    #expect(showing.session.isFinished)
  }

  // MARK: - Malformed entries

  @Test(
    "A malformed entry that is not required keeps the user, too",
    arguments: [("mail", "ada@", "ada@example.org"), ("kids", "many", "3")])
  func malformed(id: String, wrong: String, right: String) {
    var showing = Showing(
      FlowConfig([Element.entry("mail", .email), Element.number("kids"), Element.button("end", "", .complete)]))
    showing.send(.text(id, wrong))
    #expect(showing.marked == [], "not while the user types")
    #expect(showing.send(.tap("end")) == [.redraw(id), .focus(id)])
    #expect(showing.marked == [id])
    #expect(showing.send(.text(id, right)) == [.redraw(id), .keepAnswers])
    showing.send(.tap("end"))
    #expect(showing.reports.map { $0.answers[id] } == [right])
  }

  @Test("An empty field that is not required keeps nobody")
  func emptyEntry() {
    var showing = Showing(
      FlowConfig([Element.entry("mail", .email), Element.number("kids"), Element.button("end", "", .complete)]))
    showing.send(.tap("end"))
    #expect(showing.reports.map(\.answers.isEmpty) == [true])
  }

  @Test("Leaving a field settles its text, and marks what is wrong")
  func leaving() {
    var showing = Showing(
      FlowConfig([Element.entry("mail", .email, required: true), Element.number("kids", 1, 12), Element.entry("free")]))
    #expect(showing.send(.commit("mail")) == [], "an empty field is marked at the press only")
    showing.send(.text("mail", " ada@example.org"))
    #expect(showing.send(.commit("mail")) == [.redraw("mail"), .keepAnswers])
    showing.send(.text("mail", "ada"))
    #expect(showing.send(.commit("mail")) == [.redraw("mail")])
    #expect(showing.marked == ["mail"])
    showing.send(.text("kids", "012.0"))
    showing.send(.commit("kids"))
    showing.send(.text("free", " x "))
    #expect(showing.send(.commit("free")) == [])
    let texts = ["mail", "kids", "free"].map { id -> String? in
      guard case .entry(let entry)? = showing.session.node(id)?.content else { return nil }
      return entry.text
    }
    #expect(texts == ["ada", "12", " x "])
  }

  @Test("What was entered is still there after the way back")
  func kept() {
    var showing = Showing(
      FlowConfig([Element.entry("a"), Element.button("next", "", .next)], [Element.button("back", "", .back)]))
    showing.send(.text("a", "Ada"))
    showing.send(.tap("next"))
    #expect(showing.send(.text("a", "Eve")) == [], "the element is not on the shown screen")
    showing.send(.tap("back"))
    guard case .entry(let entry)? = showing.session.node("a")?.content else {
      Issue.record("no entry")
      return
    }
    #expect(entry.text == "Ada")
  }

  @Test("An element that shows its value already is not drawn again")
  func redraws() {
    var showing = Showing(FlowConfig([Element.entry("a"), Element.toggle("t"), Element.choice("c")]))
    #expect(showing.send(.text("a", "x")) == [.keepAnswers])
    #expect(showing.send(.text("a", "x")) == [])
    #expect(showing.send(.toggle("t", isOn: true)) == [.redraw("t"), .keepAnswers])
    #expect(showing.send(.toggle("t", isOn: true)) == [])
    #expect(showing.send(.option("c", option: "a", isSelected: true)) == [.redraw("c"), .keepAnswers])
    #expect(showing.send(.option("c", option: "a", isSelected: true)) == [])
  }

  @Test("A whole run of the sample with all elements")
  func sample() throws {
    var showing = Showing(try FlowConfig.sample("fck-flow-all-elements"))
    showing.send(.tap("ok"))
    #expect(showing.marked == ["name"])
    let inputs: [FlowInput] = [
      .text("name", "Ada"), .text("mail", "ada@example.org"), .text("tel", "030 1"), .step("kids", by: 2),
      .date("born", FlowDateTime(year: 1990, month: 5, day: 1)), .option("goal", option: "g2", isSelected: true),
      .option("topics", option: "o2", isSelected: true), .option("topics", option: "o1", isSelected: true),
    ]
    for input in inputs { showing.send(input) }
    let effects = showing.send(.tap("ok"))
    #expect(
      effects.prefix(2) == [.playHaptics(.medium), .animatePress("ok", PressEffect(scale: 0.96, opacity: 0.8))])
    showing.send(.timer(try #require(effects.timers.first)))
    #expect(showing.session.screenIndex == 1)
    showing.send(.tap("back"))
    #expect(showing.session.screenIndex == 0)
    showing.send(.timer(try #require(showing.send(.tap("ok")).timers.first)))
    showing.send(.tap("bye"))
    #expect(
      showing.reports.map { $0.answers.all.map { "\($0.key)=\($0.value)" } } == [
        [
          "name=Ada", "mail=ada@example.org", "tel=030 1", "kids=2", "news=true", "born=1990-05-01T00:00:00Z",
          "goal=Play", "topics=music, sport",
        ]
      ])
    #expect(
      showing.events == [
        "flow_viewed start", "screen_viewed start", "screen_viewed end", "screen_viewed start", "screen_viewed end",
        "flow_completed end",
      ])
  }
}
