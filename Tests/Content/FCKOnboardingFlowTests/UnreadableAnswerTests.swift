import TesseraJSON
import Testing

@testable import FCKOnboardingFlow

/// What stands in a field and is no answer: it is told, and the flow does not go on without it.
@Suite struct UnreadableAnswerTests {
  /// The number or date on the first of two screens.
  private static func flow(_ element: FlowElement) -> FlowConfig {
    FlowConfig([element, Element.button("next", "", .next)], [Element.button("end", "", .complete)])
  }

  private static func problem(_ showing: Showing, _ id: String = "x") -> String? {
    switch showing.session.node(id)?.content {
    case .entry(let entry): entry.problem?.message
    case .datePicker(let picker): picker.problem?.message
    default: nil
    }
  }

  private static let unreadableNumber = "Enter a number. This cannot be read as one: write it like 1234.5."

  @Test(
    "a number that cannot be read is told, also in a required field, and keeps the user on every screen",
    arguments: ["1,000", "abc", "-", "5.", "1e3", "1 000", "NaN", "1٢"], [false, true])
  func numbers(text: String, isRequired: Bool) {
    var showing = Showing(Self.flow(Element.number("x", 0, 1e6, required: isRequired)))
    showing.send(.text("x", text))
    #expect(showing.marked == [], "not while the user types")
    showing.send(.tap("next"))
    #expect(showing.session.screenIndex == 0 && Self.problem(showing) == Self.unreadableNumber)
    #expect(showing.answers == [])
    guard case .entry(let entry)? = showing.session.node("x")?.content else {
      Issue.record("no entry")
      return
    }
    #expect(entry.text == text, "the text stays")
    showing.send(.text("x", "1000"))
    showing.send(.tap("next"))
    #expect(showing.session.screenIndex == 1 && showing.answers == ["x=1000"])
  }

  @Test("a mark says the present cause")
  func causes() {
    var showing = Showing(Self.flow(Element.number("x", 0, 12, required: true)))
    showing.send(.tap("next"))
    var seen = [Self.problem(showing)]
    for text in ["-", "13", "", "12"] {
      showing.send(.text("x", text))
      seen.append(Self.problem(showing))
    }
    #expect(
      seen == [
        "Fill in this field.", Self.unreadableNumber, "Enter a number from 0 to 12.", "Fill in this field.", nil,
      ])
  }

  @Test(
    "a number beyond the range is told and not replaced",
    arguments: [
      (0.0, 12.0, "13", "Enter a number from 0 to 12."), (0, 12, "-1", "Enter a number from 0 to 12."),
      (0, 12, "12.5", "Enter a number from 0 to 12."), (-0.5, 0.5, "1", "Enter a number from -0.5 to 0.5."),
      (0, nil, "-1", "Enter 0 or more."), (nil, -1, "0", "Enter -1 or less."),
      (-1e15, 1e15, "1000000000000001", "Enter a number from -1000000000000000 to 1000000000000000."),
    ] as [(Double?, Double?, String, String)])
  func range(minimum: Double?, maximum: Double?, text: String, message: String) {
    var showing = Showing(Self.flow(Element.number("x", minimum, maximum)))
    showing.send(.text("x", text))
    showing.send(.commit("x"))
    #expect(Self.problem(showing) == message)
    showing.send(.tap("next"))
    #expect(showing.session.screenIndex == 0 && showing.answers == [])
  }

  @Test("a range in the wrong order does not limit")
  func wrongRange() {
    var showing = Showing(Self.flow(Element.number("x", 9, 1)))
    showing.send(.text("x", "20"))
    showing.send(.tap("next"))
    #expect(showing.session.screenIndex == 1 && showing.answers == ["x=20"])
  }

  @Test("a number is stored in its shortest form, and shown as the user writes it")
  func format() {
    let flow = Self.flow(Element.number("x", 0, 1e6, required: true))
    var session = OnboardingSession(flow, words: FlowWords(numberFormat: FlowNumberFormat(locale: "de_DE.UTF-8")))
    _ = session.begin()
    func text() -> String? { if case .entry(let entry)? = session.node("x")?.content { entry.text } else { nil } }
    for (typed, stored, shown) in [
      ("12.500", "12500", "12500"), ("1.234,50", "1234.5", "1234,5"), ("2,5", "2.5", "2,5"),
    ] {
      _ = session.received(.text("x", typed))
      #expect(session.answers["x"] == stored)
      _ = session.received(.commit("x"))
      #expect(text() == shown && session.answers["x"] == stored)
    }
    _ = session.received(.step("x", by: 1))
    #expect(text() == "3,5" && session.answers["x"] == "3.5")
    _ = session.received(.text("x", "2.5"))
    _ = session.received(.commit("x"))
    guard case .entry(let entry)? = session.node("x")?.content else {
      Issue.record("no entry")
      return
    }
    #expect(entry.problem?.message == "Enter a number. This cannot be read as one: write it like 1234,5.")
  }

  @Test("a step does not replace what cannot be read")
  func steps() {
    var showing = Showing(Self.flow(Element.number("x", 0, 1e6)))
    showing.send(.text("x", "1,000"))
    #expect(showing.send(.step("x", by: 1)) == [.redraw("x")])
    #expect(Self.problem(showing) == Self.unreadableNumber && showing.answers == [])
  }

  // MARK: - Dates and times

  @Test(
    "a date that is half typed or does not exist is told",
    arguments: [
      (FlowDatePicker.Mode.date, "1990-05", "This cannot be read as a date. Enter a complete date that exists."),
      (.date, "2023-02-29", "This cannot be read as a date. Enter a complete date that exists."),
      (.date, "05/31/1990", "This cannot be read as a date. Enter a complete date that exists."),
      (.date, "", "This cannot be read as a date. Enter a complete date that exists."),
      (.time, "8", "This cannot be read as a time. Enter a complete time."),
      (.time, "24:00", "This cannot be read as a time. Enter a complete time."),
      (.datetime, "1990-05-31", "This cannot be read as a date and a time. Enter both completely."),
    ], [false, true])
  func dates(_ row: (mode: FlowDatePicker.Mode, text: String, message: String), isRequired: Bool) {
    var showing = Showing(Self.flow(Element.date("x", row.mode, required: isRequired)))
    showing.send(.unreadableDate("x", row.text))
    #expect(showing.marked == [])
    showing.send(.tap("next"))
    #expect(showing.session.screenIndex == 0 && Self.problem(showing) == row.message && showing.answers == [])
    guard case .datePicker(let picker)? = showing.session.node("x")?.content else {
      Issue.record("no date")
      return
    }
    #expect(picker.value == nil && picker.unreadableText == row.text)
    showing.send(.date("x", FlowDateTime(year: 1990)))
    #expect(showing.marked == [])
    showing.send(.tap("next"))
    #expect(showing.session.screenIndex == 1 && showing.answers == ["x=1990-01-01T00:00:00Z"])
  }

  @Test("a part of a date takes the answer back")
  func withdrawn() {
    var showing = Showing(Self.flow(Element.date("x")))
    showing.send(.date("x", FlowDateTime(year: 1990)))
    showing.send(.unreadableDate("x", "1990-0"))
    #expect(showing.answers == [] && showing.session.answers.withdrawn == ["x"])
    showing.send(.date("x", nil))
    showing.send(.tap("next"))
    #expect(showing.session.screenIndex == 1)
  }

  @Test(
    "the page's message of a date",
    arguments: [
      (FlowDatePicker.Mode.date, #""1990-05-31""#, "x=1990-05-31T00:00:00Z", false),
      (.date, #"{"text": " 1990-05-31 "}"#, "x=1990-05-31T00:00:00Z", false),
      (.date, #"{"text": "१९९०-०५-३१"}"#, "x=1990-05-31T00:00:00Z", false),
      (.date, #"{"text": "１９９０-05-31"}"#, nil, true),
      (.date, #"{"text": "1990-02-30"}"#, nil, true), (.date, #"{"text": "tomorrow"}"#, nil, true),
      (.date, #"{"isUnreadable": true}"#, nil, true), (.date, #"{"text": "", "isUnreadable": true}"#, nil, true),
      (.date, #"{"text": ""}"#, nil, false),
      (.date, #"{"text": "  "}"#, nil, false), (.time, #"{"text": "08:3"}"#, nil, true),
      (.time, #"{"text": "08:30:00"}"#, "x=1970-01-01T08:30:00Z", false), (.time, #"{"text": "08:30:x"}"#, nil, true),
      (.time, #"{"text": "08:30:61"}"#, nil, true), (.time, #"{"text": "08:30:"}"#, nil, true),
      (.datetime, #"{"text": "1990-05-31 08:30"}"#, "x=1990-05-31T08:30:00Z", false),
    ] as [(FlowDatePicker.Mode, String, String?, Bool)])
  func messages(mode: FlowDatePicker.Mode, value: String, answer: String?, isTold: Bool) {
    var page = FlowPage(Self.flow(Element.date("x", mode)))
    _ = page.begin()
    _ = page.received(#"{"type": "fck.event", "elementId": "x", "kind": "change", "value": \#(value)}"#)
    #expect(page.session.answers.all.map { "\($0.key)=\($0.value)" } == [answer].compactMap(\.self))
    _ = page.received(#"{"type": "fck.event", "elementId": "next", "kind": "tap"}"#)
    #expect((page.session.screenIndex == 0) == isTold)
    #expect(page.html.contains("cannot be read") == isTold)
  }

  @Test("what is typed stays in the field of the page")
  func typing() {
    var page = FlowPage(Self.flow(Element.date("x")))
    _ = page.begin()
    func message(_ value: String) -> String {
      #"{"type": "fck.event", "elementId": "x", "kind": "change", "value": \#(value)}"#
    }
    for text in ["1990", "1990-05-31", "1990-05-3"] {
      let update = page.received(message("\"\(text)\"")).update
      #expect(update?.contains(#""isTyping":true"#) == true, "\(update ?? "")")
    }
    let left = page.received(message(#"{"text": "1990-05-3"}"#))
    #expect(left.update?.contains("1990-05-3") == true && left.update?.contains("aria-invalid") == true)
  }

  @Test("a part of a date that a page kept to itself is gone when its screen is shown again")
  func partOfDate() {
    func message(_ id: String, _ kind: String, _ value: String? = nil) -> String {
      let value = value.map { ", \"value\": \($0)" } ?? ""
      return #"{"type": "fck.event", "elementId": "\#(id)", "kind": "\#(kind)"\#(value)}"#
    }
    let screens = [
      [Element.button("next", "", .next), Element.button("end", "", .complete)],
      [Element.date("x"), Element.button("back", "", .back), Element.button("go", "", .complete)],
    ]
    let part = message("x", "change", #"{"text": "", "isUnreadable": true}"#)
    // Back and forth.
    var page = FlowPage(FlowConfig(screens[0], screens[1]))
    _ = page.begin()
    for text in [message("next", "tap"), part, message("back", "tap")] { _ = page.received(text) }
    let shown = page.received(message("next", "tap"))
    #expect(shown.update?.contains("cannot be read") == false && !page.html.contains("cannot be read"))
    #expect(page.received(message("go", "tap")).effects.contains { if case .finished = $0 { true } else { false } })
    // The end leads there: the field is told until it is told to be empty.
    page = FlowPage(FlowConfig(screens[0], screens[1]))
    _ = page.begin()
    for text in [message("next", "tap"), part, message("back", "tap"), message("end", "tap")] {
      _ = page.received(text)
    }
    #expect(page.session.screenIndex == 1 && page.html.contains("cannot be read"))
    _ = page.received(message("x", "change", #"{"text": ""}"#))
    #expect(!page.html.contains("cannot be read"))
    // A page that is loaded again.
    page = FlowPage(FlowConfig(screens[1]))
    _ = page.begin()
    _ = page.received(part)
    #expect(page.html.contains("cannot be read"))
    page.reload()
    #expect(!page.html.contains("cannot be read"))
    // What a field for text shows again stays.
    _ = page.received(message("x", "change", #"{"text": "1990-0"}"#))
    page.reload()
    #expect(page.html.contains("cannot be read") && page.html.contains("1990-0"))
  }

  // MARK: - Other screens

  @Test("the flow does not end without what stands on a screen that the user left by the way back")
  func otherScreens() {
    var showing = Showing(
      FlowConfig(
        [Element.button("next", "", .next), Element.button("end", "", .complete)],
        [Element.number("x", 0, 9), Element.button("back", "", .back), Element.button("go", "", .complete)]))
    showing.send(.tap("next"))
    showing.send(.text("x", "1,000"))
    showing.send(.tap("back"))
    showing.send(.tap("end"))
    #expect(showing.session.screenIndex == 1 && showing.marked == ["x"] && showing.reports.isEmpty)
    #expect(showing.effects.last == .focus("x"))
    showing.send(.text("x", "7"))
    showing.send(.tap("back"))
    showing.send(.tap("end"))
    #expect(showing.reports.map { $0.answers["x"] } == ["7"])
  }

  @Test("skipping and the way back need nothing")
  func leaving() {
    for input in [FlowInput.skip, .tap("skip")] {
      var showing = Showing(FlowConfig([Element.number("x"), Element.button("skip", "", .skip)]))
      showing.send(.text("x", "1,000"))
      showing.send(input)
      #expect(showing.reports.map(\.outcome) == [.skipped] && showing.answers == [])
    }
  }
}
