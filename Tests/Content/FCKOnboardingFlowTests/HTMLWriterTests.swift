import Testing

@testable import FCKOnboardingFlow

/// The HTML of a screen.
@Suite struct HTMLWriterTests {
  private func html(_ elements: [FlowElement], _ inputs: [FlowInput] = []) -> String {
    var showing = Showing(FlowConfig(elements))
    for input in inputs { showing.send(input) }
    guard let screen = showing.session.screen else { return "" }
    return FlowPageWriter(showing.session.flow.screens[0], words: FlowWords()).html(screen: screen)
  }

  /// The samples that both back ends draw: what they say must be the same.
  static let samples: [(name: String, elements: [FlowElement], inputs: [FlowInput])] = [
    ("texts", [Element.text("a", "One"), Element.text("b", ""), Element.text("c", "Two\nlines")], []),
    (
      "fields",
      [
        Element.entry("a", label: "Name", required: true), Element.entry("b", .email), Element.number("c"),
        Element.entry("d", .phone(countryCode: "FR"), label: "Phone"), Element.date("e", required: true),
      ], []
    ),
    (
      "marks",
      [
        Element.entry("a", label: "Name", required: true), Element.choice("b", required: true),
        Element.date("c", .time, required: true), Element.entry("d", .email), Element.button("go", "Go", .next),
      ], [.text("d", "x"), .tap("go")]
    ),
    (
      "choices",
      [
        Element.choice("a") { $0.label = "Pick" }, Element.choice("b", .options, multiple: true, selected: ["a", "c"]),
        Element.choice("c") {
          $0.options = [.init(id: "x", label: "Book", icon: "📘"), .init(id: "y", label: "", icon: "★")]
          $0.checkboxPosition = .right
        },
      ], [.option("a", option: "b", isSelected: true)]
    ),
    ("toggles", [Element.toggle("a", "Left", isOn: true), Element.toggle("b")], []),
    (
      "buttons",
      [
        Element.button("a", "Plain"), Element.button("b", "Hidden", children: [Element.text("t", "Seen")]),
        Element.button("c", "Group", children: [Element.button("d", "Inner"), Element.unknown("u")]),
        Element.stack("e", [Element.text("f", "In a stack")], taps: [TapBehavior(.complete)]),
        Element.image("g", "https://example.org/p.png", alt: "Robot"), Element.image("h", "http://example.org/p.png"),
      ], []
    ),
    (
      "hostile",
      [
        Element.text("<i>\"'&", "<script>alert(1)</script>"),
        Element.entry("\"><img src=x onerror=1>", label: "</label>"),
        Element.button("b", "&lt;b&gt; \" ' & \r ]]> <!--"),
        Element.choice("c") { $0.options = [.init(id: "\" checked=\"", label: "</span><input>")] },
        Element.toggle("d", "<style>*{}</style>"),
      ], []
    ),
  ]

  @Test("HTML has the texts of the nodes in their order", arguments: samples.indices)
  func sameTexts(index: Int) throws {
    let sample = Self.samples[index]
    var showing = Showing(FlowConfig(sample.elements))
    for input in sample.inputs { showing.send(input) }
    let screen = try #require(showing.session.screen)
    let html = FlowPageWriter(showing.session.flow.screens[0], words: FlowWords()).html(screen: screen)
    #expect(HTMLMarkup(html).texts == RenderDump.texts(screen), "\(sample.name)")
  }

  @Test("HTML of the sample with all elements has the texts of the nodes")
  func sampleTexts() throws {
    for screen in try FlowConfig.sample("fck-flow-all-elements").screens {
      let node = RenderTree.screen(screen)
      let texts = HTMLMarkup(FlowPageWriter(screen, words: FlowWords()).html(screen: node)).texts
      #expect(texts == RenderDump.texts(node) && texts.count == (screen.id == "start" ? 15 : 2))
    }
  }

  @Test("HTML has the roles and the names of the nodes")
  func roles() {
    let markup = HTMLMarkup(
      html([
        Element.text("t", "Text", taps: [TapBehavior(.complete)]),
        Element.image("i", "https://example.org/p.png", alt: "Robot"),
        Element.image("r", "http://example.org/p.png", alt: "Refused"), Element.button("b", "Go"),
        Element.entry("e", label: "Name", required: true), Element.entry("m", .email), Element.number("n", 1, 9),
        Element.toggle("s", "Switch", isOn: true), Element.date("d", .datetime), Element.choice("c", required: true),
        Element.choice("o", .options, multiple: true), FlowElement(id: "p", content: .progressBar(FlowProgressBar())),
        Element.stack("g", [Element.entry("inner")], taps: [TapBehavior(.complete)]),
      ]))
    func attributes(_ id: String) -> [String: String] { markup.tag("data-id", id)?.attributes ?? [:] }
    #expect(attributes("t")["role"] == "button" && attributes("t")["tabindex"] == "0")
    #expect(attributes("i")["alt"] == "Robot" && attributes("r")["aria-label"] == "Refused")
    #expect(attributes("r")["role"] == "img" && attributes("r")["src"] == nil)
    #expect(markup.tag("data-id", "b")?.name == "button" && attributes("b")["aria-label"] == "Go")
    #expect(attributes("c")["role"] == "radiogroup" && attributes("c")["aria-required"] == "true")
    #expect(attributes("o")["role"] == "group" && attributes("o")["aria-label"] == "Options")
    #expect(attributes("p")["role"] == "progressbar" && attributes("p")["aria-valuenow"] == "0")
    #expect(attributes("g")["role"] == "group" && attributes("g")["tabindex"] == "0")
    // Each label leads to its field.
    let fields = ["e", "m", "n", "s", "d"].compactMap { markup.tag("id", "\(attributes($0)["id"] ?? "")-field") }
    #expect(fields.map { $0.attributes["type"] } == ["text", "email", "text", "checkbox", "datetime-local"])
    #expect(fields.map { $0.attributes["aria-label"] } == [nil, "E-mail", "Number", nil, "Date"])
    #expect(fields.map { $0.attributes["role"] } == [nil, nil, "spinbutton", "switch", nil])
    #expect(fields.map { $0.attributes["aria-required"] } == ["true", nil, nil, nil, nil])
    #expect(markup.tags.filter { $0.name == "label" && $0.attributes["for"] != nil }.count == 2)
    #expect(markup.tags.filter { $0.attributes["type"] == "radio" }.count == 3)
  }

  @Test("A mark is told to assistive technology, with its reason")
  func marks() {
    let elements = [Element.entry("e", required: true), Element.button("go", "", .next)]
    #expect(!html(elements).contains("aria-invalid"))
    let markup = HTMLMarkup(html(elements, [.tap("go")]))
    let field = markup.tags.first { $0.name == "input" }?.attributes ?? [:]
    #expect(field["aria-invalid"] == "true")
    #expect(markup.tag("id", field["aria-describedby"] ?? "")?.attributes["role"] == "alert")
  }

  @Test("Nothing of the document becomes markup")
  func hostile() throws {
    let sample = try #require(Self.samples.last)
    let markup = HTMLMarkup(html(sample.elements))
    let names = Set(markup.tags.map(\.name))
    #expect(names == ["div", "p", "label", "input", "button", "span"])
    #expect(markup.texts.contains("<script>alert(1)</script>"))
    #expect(markup.tags.allSatisfy { tag in !tag.attributes.keys.contains { $0.hasPrefix("on") } })
    #expect(markup.tag("data-id", "\"><img src=x onerror=1>") != nil)
    #expect(markup.tag("data-option", "\" checked=\"")?.attributes["checked"] == nil)
  }

  @Test(
    "Every text is one text",
    arguments: [
      "<script>alert(1)</script>", "</p><p>", "\u{0}", "a\u{FEFF}b", "&amp;", "\u{2028}", "<!--", "]]>", "'\"`",
      "\u{202E}abc",
    ])
  func hostileText(text: String) {
    let html = html([Element.text("a", text), Element.entry("b"), Element.text("c", "end")], [.text("b", text)])
    let markup = HTMLMarkup(html)
    let shown: String = text == "\u{0}" ? "\u{FFFD}" : text
    #expect(markup.texts == [shown, "end"])
    #expect(markup.tags.map(\.name).filter { $0 != "div" } == ["p", "input", "p"])
    #expect(markup.tags.first { $0.name == "input" }?.attributes["value"] == (text == "\u{0}" ? "" : text))
  }

  @Test("Sizes and colours are written from their values")
  func styles() {
    var style = FlowStyle()
    style.box(
      RenderBox(
        margin: Spacing(top: 1, right: 2.5, bottom: 0, left: 1e-9), width: .percent(50), height: .fill,
        background: FlowColor(alpha: 0x80, red: 0xFF, green: 0, blue: 0x0A),
        border: RenderBorder(radius: 4, width: 1, color: FlowColor(red: 1, green: 2, blue: 3))), in: .vertical)
    #expect(
      style.text
        == "margin:1px 2.5px 0px 0px;width:50%;flex:1 1 auto;background-color:#ff000a80;border-radius:4px;"
        + "border:1px solid #010203ff;")
    #expect(
      [Double.nan, .infinity, 1.0 / 3, 1e6].map(FlowStyle.number) == ["0", "0", "0.333", "1000000"])
  }

  @Test(
    "A width that fills stretches across its stack, and grows along it",
    arguments: [(FlowStack.Axis.vertical, "align-self:stretch;"), (.horizontal, "flex:1 1 auto;")])
  func fill(axis: FlowStack.Axis, declaration: String) {
    var style = FlowStyle()
    style.box(RenderBox(width: .fill), in: axis)
    #expect(style.text == declaration)
  }

  @Test("Fields and choices carry what the document says of them")
  func controls() {
    let taps = [TapBehavior(.haptics(.light))]
    let markup = HTMLMarkup(
      html([
        Element.number("n", -1, 9, step: 0.5), Element.entry("e") { $0.tapBehaviors = taps }, Element.toggle("t", "On"),
        Element.choice("c") {
          $0.layout = "row"
          $0.checkboxPosition = .right
        }, Element.choice("o", .options), Element.image("i", "https://example.org/p.png"),
      ]))
    let number = markup.tags.first { $0.attributes["data-number"] != nil }?.attributes ?? [:]
    #expect(["type", "aria-valuemin", "aria-valuemax"].map { number[$0] } == ["text", "-1", "9"])
    // They would stay as they are while the user types.
    #expect(number["aria-valuenow"] == nil && number["aria-valuetext"] == nil)
    #expect(markup.tags.filter { $0.attributes["data-tap"] != nil }.map { $0.attributes["data-id"] } == ["e"])
    let toggle = markup.tags.first { $0.attributes["role"] == "switch" }
    #expect(toggle?.attributes["style"] == "--fck-on:#00ff41ff;")
    #expect(markup.tags.compactMap { $0.attributes["data-axis"] } == ["horizontal", "vertical"])
    let marks = markup.tags.compactMap { $0.attributes["data-mark"] }
    #expect(marks == ["right", "right", "right", "hidden", "hidden", "hidden"])
    #expect(markup.tag("data-id", "i")?.attributes["referrerpolicy"] == "no-referrer")
  }

  @Test(
    "A stack places its children as the document says",
    arguments: [
      (FlowStack.Distribution.start, "flex-start"), (.center, "center"), (.end, "flex-end"),
      (.spaceBetween, "space-between"), (.spaceAround, "space-around"), (.spaceEvenly, "space-evenly"),
    ])
  func stacks(distribution: FlowStack.Distribution, word: String) {
    let stack = Element.stack("s", []) {
      $0.axis = .horizontal
      $0.spacing = 8
      $0.distribution = distribution
      $0.alignItems = .end
    }
    #expect(
      HTMLMarkup(html([stack])).tag("data-id", "s")?.attributes["style"]
        == "flex-direction:row;gap:8px;justify-content:\(word);align-items:flex-end;")
  }

  @Test("A text has its size, weight, side and colour")
  func textStyle() {
    var text = FlowText(content: "x")
    (text.fontSize, text.weight, text.alignment) = (28, .bold, .right)
    text.color = FlowColor(alpha: 0x80, red: 1, green: 2, blue: 3)
    #expect(
      HTMLMarkup(html([FlowElement(id: "t", content: .text(text))])).tag("data-id", "t")?.attributes["style"]
        == "font-size:28px;font-weight:700;text-align:right;color:#01020380;")
  }
}
