import Testing

@testable import FCKOnboardingFlow

/// What is stored of what the user enters (NativeScreens.md, rule 6).
@Suite struct AnswerTests {
  private static let elements: [FlowElement] = [
    Element.entry("text"), Element.entry("mail", .email), Element.entry("tel", .phone(countryCode: "DE")),
    Element.number("kids", 0, 12), Element.number("price", -1, 1, step: 0.1), Element.toggle("news"),
    Element.date("day"), Element.date("clock", .time), Element.date("both", .datetime), Element.choice("one"),
    Element.choice("many", multiple: true), Element.choice("tags", .options, multiple: true),
  ]

  @Test(
    "Each element stores its answer in its form",
    arguments: [
      ([FlowInput.text("text", " Ada L. ")], "text= Ada L. "),
      ([.text("mail", " ada@example.org ")], "mail=ada@example.org"),
      ([.text("tel", "+49 30 1234")], "tel=+49 30 1234"),
      ([.text("kids", "3.0")], "kids=3"),
      ([.text("kids", "2,5")], "kids=2.5"),
      ([.text("kids", "500")], nil),
      ([.text("kids", "-4")], nil),
      ([.text("kids", "1,000")], nil),
      ([.text("kids", "three")], nil),
      ([.step("kids", by: 1)], "kids=1"),
      ([.step("kids", by: -1)], "kids=0"),
      ([.step("kids", by: Int.max)], "kids=12"),
      ([.text("kids", "11"), .step("kids", by: 5)], "kids=12"),
      ([.text("price", "0.1"), .step("price", by: 2)], "price=0.3"),
      ([.toggle("news", isOn: true)], "news=true"),
      ([.date("day", FlowDateTime(year: 1990, month: 5, day: 1))], "day=1990-05-01T00:00:00Z"),
      ([.date("clock", FlowDateTime(hour: 8, minute: 30))], "clock=1970-01-01T08:30:00Z"),
      (
        [.date("both", FlowDateTime(year: 2030, month: 12, day: 31, hour: 23, minute: 59))],
        "both=2030-12-31T23:59:00Z"
      ),
      ([.date("day", FlowDateTime(year: 1990)), .date("day", nil)], nil),
      ([.option("one", option: "a", isSelected: true)], "one=A"),
      ([.option("one", option: "a", isSelected: true), .option("one", option: "b", isSelected: true)], "one=bee"),
      ([.option("one", option: "a", isSelected: true), .option("one", option: "a", isSelected: false)], "one=A"),
      (
        [.option("many", option: "c", isSelected: true), .option("many", option: "b", isSelected: true)], "many=bee, C"
      ),
      ([.option("tags", option: "a", isSelected: true), .option("tags", option: "a", isSelected: false)], nil),
      ([.option("one", option: "nothing", isSelected: true)], nil),
    ] as [([FlowInput], String?)])
  func stored(inputs: [FlowInput], expected: String?) {
    var showing = Showing(FlowConfig(Self.elements))
    for input in inputs { showing.send(input) }
    // A toggle always has an answer.
    #expect(showing.answers.filter { $0 != "news=false" } == [expected].compactMap(\.self))
  }

  @Test("An input for an element of another kind changes nothing")
  func foreign() {
    var showing = Showing(FlowConfig(Self.elements))
    let inputs: [FlowInput] = [
      .text("news", "x"), .toggle("text", isOn: true), .date("one", FlowDateTime()), .step("text", by: 1),
      .option("text", option: "a", isSelected: true), .commit("one"), .text("", "x"), .text("nobody", "x"),
      .tap("nobody"), .tap("text"),
    ]
    for input in inputs { #expect(showing.send(input) == []) }
    #expect(showing.answers == ["news=false"])
  }

  @Test("Answers are stored by the variable, else by the element's own id, else not at all")
  func keys() {
    var showing = Showing(
      FlowConfig([
        Element.entry("own"), Element.entry("x", key: "name"), Element.entry("made", hasOwnId: false),
        Element.entry("y", key: ""), Element.entry("made2", key: "kept", hasOwnId: false),
      ]))
    for id in ["own", "x", "made", "y", "made2"] { showing.send(.text(id, "v-\(id)")) }
    #expect(showing.answers == ["own=v-own", "name=v-x", "y=v-y", "kept=v-made2"])
  }

  @Test("Of elements with one variable the last changed one counts, at the place of the first")
  func shared() {
    let elements = [Element.entry("a", key: "k"), Element.entry("other"), Element.entry("b", key: "k")]
    var showing = Showing(FlowConfig(elements))
    showing.send(.text("b", "second"))
    showing.send(.text("other", "o"))
    #expect(showing.answers == ["k=second", "other=o"])
    showing.send(.text("a", "first"))
    #expect(showing.answers == ["k=first", "other=o"])
    showing.send(.text("b", ""))
    #expect(showing.answers == ["other=o"])
  }

  @Test("Initial values are answers from when their screen is shown")
  func initial() {
    var showing = Showing(
      FlowConfig(
        [Element.toggle("t", isOn: true), Element.button("go", "", .next)],
        [Element.choice("c", multiple: true, selected: ["c", "a", "z"]), Element.choice("d", selected: ["b", "c"])]))
    #expect(showing.answers == ["t=true"])
    #expect(showing.effects.contains(.keepAnswers))
    showing.send(.tap("go"))
    #expect(showing.answers == ["t=true", "c=A, C", "d=bee"])
  }

  @Test("A text is cut at 10,000 characters, and holds no control characters")
  func limits() {
    var showing = Showing(FlowConfig([Element.entry("a")]))
    let effects = showing.send(.text("a", String(repeating: "é", count: 10_001)))
    #expect(effects == [.keepAnswers, .redraw("a")], "the field shows more than is kept")
    #expect(showing.session.answers["a"]?.unicodeScalars.count == 10_000)
    showing.send(.text("a", "one\r\ntwo\u{0}\u{7F}\t."))
    #expect(showing.session.answers["a"] == "onetwo.")
  }

  @Test("A key of any bytes is one key")
  func keysAreBytes() {
    // Both are é to a comparison of strings.
    var showing = Showing(FlowConfig([Element.entry("a", key: "\u{E9}"), Element.entry("b", key: "e\u{301}")]))
    showing.send(.text("a", "1"))
    showing.send(.text("b", "2"))
    #expect(showing.session.answers.all.count == 2)
    #expect(showing.session.answers.json.count == 2)
    #expect(showing.session.answers["e\u{301}"] == "2")
    // The same for what is entered.
    #expect(showing.send(.text("a", "\u{E9}")) == [.keepAnswers])
    #expect(showing.send(.text("a", "e\u{301}")) == [.keepAnswers])
    #expect(showing.session.answers["\u{E9}"]?.utf8.count == 3)
  }

  // MARK: - Texts

  @Test(
    "Numbers have their shortest decimal text",
    arguments: [
      (3.0, "3"), (-3.5, "-3.5"), (0, "0"), (-0.0, "0"), (0.05, "0.05"), (1e-7, "0.0000001"), (100, "100"),
      (1e21, "1000000000000000000000"), (-1.5e16, "-15000000000000000"), (.infinity, "0"), (.nan, "0"),
      (123456.789, "123456.789"), (0.1 + 0.2, "0.30000000000000004"),
    ])
  func decimals(number: Double, text: String) { #expect(DecimalText.text(number) == text) }

  @Test(
    "Steps stay in any range",
    arguments: [
      (0.0, 10.0, 3.0, 9.0, 1, 10.0), (5, 4, 1, 7, 1, 8), (0, 10, 0, 5, 1, 5), (0, 10, -.infinity, 5, 1, 5),
      (-.infinity, .infinity, 1, 5, 2, 7), (0, 1e308, 1e308, 1e308, 9, 1e308), (.nan, .nan, 1, 5, 1, 6),
      (0.5, 9.5, 1, 0.7, 1, 1.7),
    ])
  func steps(minimum: Double, maximum: Double, step: Double, from: Double, count: Int, to: Double) {
    var range = FlowNumberRange()
    (range.minimum, range.maximum, range.step) = (minimum, maximum, step)
    #expect(range.stepped(from, by: count) == to)
  }

  @Test(
    "An e-mail address has a name and a domain",
    arguments: [
      ("ada@example.org", true), (" ada@example.org ", true), ("a.b+c@x-y.example", true), ("ä@bücher.example", true),
      ("ada", false), ("ada@", false), ("@example.org", false), ("a@b@c.org", false), ("ada@example", false),
      ("ada@example..org", false), ("ada@.org", false), ("a b@example.org", false), ("ada@-x.org", false),
      (".a@example.org", false), ("a<b>@example.org", false), ("ada@exam ple.org", false),
    ])
  func emails(text: String, isAddress: Bool) { #expect(EntryText.isEmailAddress(text) == isAddress) }

  // MARK: - Dates

  @Test(
    "A date is one of the calendar",
    arguments: [
      (2024, 2, 29, true), (2023, 2, 29, false), (1900, 2, 29, false), (2000, 2, 29, true), (2024, 4, 31, false),
      (2024, 13, 1, false), (2024, 0, 1, false), (0, 1, 1, false), (10_000, 1, 1, false), (9999, 12, 31, true),
    ])
  func calendar(year: Int, month: Int, day: Int, exists: Bool) {
    #expect((FlowDateTime(year: year, month: month, day: day) != nil) == exists)
  }

  @Test(
    "A date is read as it is written",
    arguments: [
      (FlowDatePicker.Mode.date, "0970-05-01"), (.time, "08:05"), (.datetime, "1990-05-01T23:59"),
    ])
  func roundTrip(mode: FlowDatePicker.Mode, text: String) throws {
    #expect(try #require(FlowDateTime(text, mode: mode)).text(mode) == text)
  }

  @Test("A date has the digits of one script, and spaces around it")
  func scripts() {
    for text in ["1990-05-31", " 1990-05-31\u{A0}", "١٩٩٠-٠٥-٣١", "१९९०-०५-३१", "１９９０-０５-３１"] {
      #expect(FlowDateTime(text, mode: .date)?.dayText == "1990-05-31", "\(text)")
    }
    #expect(FlowDateTime("٠٨:٣٠", mode: .time)?.timeText == "08:30")
  }

  @Test(
    "What is no date is refused",
    arguments: [
      (FlowDatePicker.Mode.date, ""), (.date, "1990-5-1"), (.date, "1990-02-30"), (.date, "1990-05-01T00:00"),
      (.date, "01.05.1990"), (.date, "-990-05-01"), (.date, "1990-05-"), (.time, "24:00"), (.time, "8:30"),
      (.time, "08"),
      (.time, "08:3x"), (.datetime, "1990-05-01"), (.datetime, "1990-05-01T"), (.datetime, "1990-05-01x08:30"),
      (.datetime, "1990-05-01T08:301"), (.time, "08:30:"), (.time, "08:30:1"), (.time, "08:30:99"),
      (.time, "08:30:00."),
      (.time, "08:30 pm"), (.date, "1990-0٥-01"), (.date, String(repeating: "1", count: 100_000)),
    ])
  func noDates(mode: FlowDatePicker.Mode, text: String) { #expect(FlowDateTime(text, mode: mode) == nil) }

  @Test("Seconds of a browser are accepted")
  func seconds() {
    #expect(FlowDateTime("08:30:15", mode: .time)?.timeText == "08:30")
    #expect(FlowDateTime("1990-05-01T08:30:00.000", mode: .datetime)?.text == "1990-05-01T08:30:00Z")
  }
}
