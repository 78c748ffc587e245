import Testing

@testable import FCKOnboardingFlow

/// What is drawn of a screen.
@Suite struct RenderingTests {
  /// The node of an element on a plain screen.
  private func node(_ element: FlowElement, in change: (inout FlowStack) -> Void = { _ in }) throws -> RenderNode {
    let root = Element.stack("root", [element], change)
    return try #require(RenderTree.screen(FlowScreen(id: "s", kind: .question, root: root)).node(element.id))
  }

  private static let blue = FlowColor(red: 0, green: 0, blue: 0xFF)
  private static let black = FlowColor(red: 0, green: 0, blue: 0)
  private static let white = FlowColor(red: 0xFF, green: 0xFF, blue: 0xFF)

  @Test("The sample with all elements says what the author wrote, in its order")
  func sample() throws {
    let flow = try FlowConfig.sample("fck-flow-all-elements")
    let lines = flow.screens.map { RenderDump.lines(RenderTree.screen($0)) }
    #expect(
      lines == [
        [
          #"text: "Tell us about you""#, #"image "A friendly robot""#, #"textField "Name": "Name""#,
          #"textField "E-mail": "E-mail""#, #"textField "Phone": "Phone" "🇩🇪""#, #"spinButton "Children": "Children""#,
          #"switch "Newsletter" on: "Newsletter""#, #"dateField "Birthday": "Birthday""#, #"radioGroup "Goal": "Goal""#,
          #"radio "Learn" selected: "📘" "Learn""#, #"radio "Play": "Play""#, #"checkGroup "Options""#,
          #"checkBox "Music": "Music""#, #"checkBox "Sport": "Sport""#, #"progressBar "Progress" 50%"#,
          #"button "Continue": "Continue""#,
        ],
        [#"group "All set""#, #"text: "All set""#, #"button "Back": "Back""#],
      ] as [[String]])
  }

  @Test("An element of an unknown type yields no node, wherever it stands")
  func unknown() {
    let root = Element.stack("root", [Element.unknown("u"), Element.text("t", "x")])
    let tree = RenderTree.screen(FlowScreen(id: "s", kind: .question, root: root))
    #expect(tree.children.map(\.id) == ["t"])
    let alone = RenderTree.screen(FlowScreen(id: "s", kind: .question, root: Element.unknown("u")))
    #expect(alone.content == .stack(RenderStack()) && alone.children == [])
  }

  @Test("One element is drawn as it is in its screen")
  func single() throws {
    for screen in try FlowConfig.sample("fck-flow-all-elements").screens {
      let tree = RenderTree.screen(screen)
      var count = 0
      func check(_ node: RenderNode) {
        count += 1
        #expect(RenderTree.node(node.id, of: ScreenElements(screen.root)) == node)
        node.children.forEach(check)
      }
      check(tree)
      #expect(count == (screen.id == "start" ? 13 : 3))
    }
  }

  // MARK: - Colours

  @Test(
    "A text without a colour of its own has the theme's on the window's background only",
    arguments: [
      (nil, black, RenderColor.theme), (nil, blue, .fixed(blue)), (white, black, .fixed(black)),
      (blue, black, .fixed(black)), (FlowColor(alpha: 0x7F, red: 255, green: 255, blue: 255), black, .theme),
      (.transparent, black, .theme),
    ] as [(FlowColor?, FlowColor, RenderColor)])
  func textColor(background: FlowColor?, color: FlowColor, drawn: RenderColor) throws {
    var text = FlowText(content: "x")
    text.color = color
    let node = try node(FlowElement(id: "t", content: .text(text))) { $0.backgroundColor = background }
    guard case .text(let drawnText) = node.content else {
      Issue.record("\(node)")
      return
    }
    #expect(drawnText.color == drawn)
  }

  @Test(
    "A label is readable on every background",
    arguments: [(nil, RenderColor.theme), (white, .fixed(black)), (black, .fixed(white)), (blue, .fixed(white))]
      as [(FlowColor?, RenderColor)])
  func labelColor(background: FlowColor?, drawn: RenderColor) throws {
    let elements = [
      Element.entry("e", label: "x"), Element.toggle("t", "x"), Element.date("d"), Element.choice("c"),
    ]
    for element in elements {
      let color =
        switch try node(element, in: { $0.backgroundColor = background }).content {
        case .entry(let entry): entry.labelColor
        case .toggle(let toggle): toggle.labelColor
        case .datePicker(let picker): picker.labelColor
        case .choice(let choice): choice.labelColor
        default: RenderColor.fixed(.transparent)
        }
      #expect(color == drawn)
    }
  }

  @Test("Glass is white at 30 %, below the author's own colour", arguments: FlowStack.Glass.allCases)
  func glass(style: FlowStack.Glass) throws {
    let plain = try node(Element.stack("g", [Element.text("t", "x")]) { $0.glass = style })
    #expect(plain.box.background == FlowColor(alpha: 77, red: 255, green: 255, blue: 255))
    guard case .text(let text)? = plain.children.first?.content else {
      Issue.record("no text")
      return
    }
    #expect(text.color == .theme, "the window's background shows through")
    let colored = try node(
      Element.stack("g", []) {
        $0.glass = style
        $0.backgroundColor = Self.blue
      })
    #expect(colored.box.background == Self.blue)
  }

  @Test("A button is filled, or has a line two pixels wide and a text that is seen")
  func button() throws {
    let filled = try node(Element.button("b", "Go"))
    #expect(filled.content == .button(RenderButton(text: "Go", textColor: .fixed(Self.white))))
    #expect(filled.box.background == FlowColor(red: 0, green: 0x7A, blue: 0xFF) && filled.box.border.width == 0)
    #expect(filled.box.padding == Spacing(12) && filled.box.border.radius == 12)
    var outline = Element.button("b", "Go", style: .outline)
    outline.padding = Spacing(top: 5, right: 9, bottom: 9, left: 9)
    let drawn = try node(outline)
    let ink = FlowColor(red: 0, green: 0x7A, blue: 0xFF)
    #expect(drawn.box.background == nil && drawn.box.border == RenderBorder(radius: 12, width: 2, color: ink))
    #expect(drawn.content == .button(RenderButton(text: "Go", textColor: .fixed(ink))))
    #expect(drawn.box.padding == Spacing(5))
  }

  // MARK: - Names and roles

  @Test("A button is named by what is seen in it, else by its text")
  func buttonNames() throws {
    let picture = Element.image("i", "https://example.org/a.png")
    #expect(try node(Element.button("b", "Go")).name == "Go")
    #expect(try node(Element.button("b", "Go", children: [Element.text("t", "Start")])).name == "Start")
    #expect(try node(Element.button("b", "Go", children: [picture])).name == "Go")
    let group = try node(Element.button("b", "Go", children: [Element.toggle("x", "Inner")]))
    #expect(group.role == .group && group.name == "Go")
    #expect(try node(Element.button("b", " ")).name == nil)
    // The only element in it is not drawn.
    let unknown = try node(Element.button("b", "Go", children: [Element.unknown("u")]))
    #expect(unknown.content == .button(RenderButton(text: "Go", textColor: .fixed(Self.white))) && unknown.name == "Go")
  }

  @Test("What can be pressed is a button to assistive technology, unless it contains controls")
  func tappable() throws {
    let taps = [TapBehavior(.haptics(.light))]
    let text = try node(Element.text("t", "Press", taps: taps))
    #expect(text.role == .button && text.name == "Press" && text.isTappable)
    let picture = try node(Element.image("i", "https://example.org/a.png", alt: "Robot", taps: taps))
    #expect(picture.role == .button && picture.name == "Robot")
    let stack = try node(
      Element.stack("s", [Element.text("a", "One"), Element.stack("b", [Element.text("c", "two")])], taps: taps))
    #expect(stack.role == .button && stack.name == "One two")
    let group = try node(Element.stack("s", [Element.text("a", "One"), Element.entry("e")], taps: taps))
    #expect(group.role == .group && group.name == "One")
    let plain = try node(Element.stack("s", [Element.text("a", "One")]))
    #expect(plain.role == .none && plain.name == nil && !plain.isTappable)
    let long = try node(
      Element.stack("s", (0..<2_000).map { Element.text("t\($0)", String(repeating: "x", count: 1_000)) }, taps: taps))
    #expect(long.name?.count == 500)
    // One character has as many scalars as its text.
    let heavy = "x" + String(repeating: "\u{301}", count: 9_999)
    let marked = try node(Element.stack("s", (0..<200).map { Element.text("t\($0)", heavy) }, taps: taps))
    #expect(marked.name?.unicodeScalars.count == 500)
  }

  @Test(
    "A field is named by its label, else by its place holder, else by its kind",
    arguments: [("Label", "Holder", "Label"), (nil, "Holder", "Holder"), (" ", "", "E-mail"), (nil, "", "E-mail")]
      as [(String?, String, String)])
  func fieldNames(label: String?, placeholder: String, name: String) throws {
    let node = try node(Element.entry("e", .email, label: label) { $0.placeholder = placeholder })
    #expect(node.name == name && node.role == .textField)
  }

  // MARK: - Values

  @Test(
    "Pictures are loaded by https only",
    arguments: [
      ("https://cdn.example.org/p.png?a=1#b", true), ("HTTPS://example.org/p.png", true),
      ("http://example.org/p.png", false),
      ("file:///etc/passwd", false), ("data:image/png;base64,AAAA", false), ("javascript:alert(1)", false), ("", false),
      ("https://", false), ("https:///p.png", false), ("https://a@b.example/p.png", false),
      ("//example.org/p.png", false),
      (" https://example.org/p.png", false), ("https://example.org/p q.png", false), ("https://example.org/\"x", false),
      ("https://example.org\\@evil.example/", false), ("https://example.org/\u{0}", false),
      ("https://example.org/" + String(repeating: "a", count: 3_000), false),
    ])
  func pictures(address: String, isLoaded: Bool) throws {
    let node = try node(Element.image("i", address))
    guard case .picture(let picture) = node.content else {
      Issue.record("\(node)")
      return
    }
    #expect(picture.address == (isLoaded ? address : nil))
    #expect(node.box.width == .pixels(100) && node.box.height == .pixels(100))
  }

  @Test(
    "Countries have their flags, others that of the US, and none has none",
    arguments: [
      ("DE", "🇩🇪"), ("us", "🇺🇸"), ("GB", "🇬🇧"), ("BR", "🇧🇷"), ("CH", "🇺🇸"), ("", nil), ("DEU", "🇺🇸"),
      (String(repeating: "D", count: 100_000), "🇺🇸"),
    ] as [(String, String?)])
  func flags(code: String, flag: String?) throws {
    let node = try node(Element.entry("e", .phone(countryCode: code)))
    guard case .entry(let entry) = node.content else {
      Issue.record("\(node)")
      return
    }
    #expect(entry.kind == .phone(flag: flag))
  }

  @Test(
    "Symbols are drawn, names of symbols are not",
    arguments: [
      ("📘", "📘"), ("★", "★"), ("star.fill", nil), ("", nil), ("👩‍👩‍👧‍👧", "👩‍👩‍👧‍👧"), (String(repeating: "📘", count: 9), nil),
    ] as [(String, String?)])
  func icons(icon: String, drawn: String?) throws {
    let node = try node(Element.choice("c") { $0.options = [.init(id: "a", label: "A", icon: icon)] })
    guard case .choice(let choice) = node.content else {
      Issue.record("\(node)")
      return
    }
    #expect(choice.options.map(\.icon) == [drawn])
  }

  @Test(
    "The layout of a choice says where its options are",
    arguments: [
      ("horizontal", FlowStack.Axis.horizontal), ("row", .horizontal), ("inline", .horizontal), ("grid", .horizontal),
      ("vertical", .vertical), ("list", .vertical), ("Grid", .vertical), ("", .vertical), (nil, .vertical),
    ] as [(String?, FlowStack.Axis)])
  func choiceLayout(layout: String?, axis: FlowStack.Axis) throws {
    for style in [FlowChoice.Style.choice, .options] {
      guard case .choice(let choice) = try node(Element.choice("c", style) { $0.layout = layout }).content else {
        Issue.record("no choice")
        return
      }
      #expect(choice.axis == axis)
    }
  }

  @Test("Hostile numbers are drawn as numbers", arguments: [.nan, .infinity, -.infinity, -1, 1e300] as [Double])
  func hostileNumbers(value: Double) throws {
    var text = FlowText(content: "x")
    text.fontSize = value
    var bar = FlowProgressBar()
    bar.progress = value
    var boxed = FlowElement(id: "b", content: .progressBar(bar))
    boxed.padding = Spacing(value)
    boxed.margin = Spacing(value)
    let parts = [FlowElement(id: "t", content: .text(text)), boxed]
    let root = Element.stack("root", parts) {
      $0.spacing = value
      $0.border = FlowBorder(radius: value, color: Self.blue, width: value)
    }
    func check(_ node: RenderNode) {
      let box = node.box
      var numbers = [box.border.radius, box.border.width]
      for spacing in [box.padding, box.margin] {
        numbers += [spacing.top, spacing.right, spacing.bottom, spacing.left]
      }
      switch node.content {
      case .text(let text): numbers.append(text.size)
      case .progressBar(let bar): numbers.append(bar.fraction * 16_384)
      case .stack(let stack): numbers.append(stack.spacing)
      default: Issue.record("\(node)")
      }
      #expect(numbers.allSatisfy { 0...16_384 ~= $0 })
      node.children.forEach(check)
    }
    let tree = RenderTree.screen(FlowScreen(id: "s", kind: .question, root: root))
    check(tree)
    #expect(tree.children.count == 2)
  }

  @Test("Selected options carry the author's colours")
  func selected() throws {
    let node = try node(Element.choice("c", .options, selected: ["b"]))
    guard case .choice(let choice) = node.content else {
      Issue.record("\(node)")
      return
    }
    #expect(choice.options.map(\.isSelected) == [false, true, false])
    #expect(choice.options[1].background == FlowColor(red: 0x4C, green: 0xAF, blue: 0x50))
    #expect(choice.options[1].textColor == .fixed(Self.white) && choice.options[0].textColor == .fixed(Self.black))
    #expect(choice.checkMark == .hidden)
  }

  @Test("Options are told apart by their lines: none for buttons, a wider one for a chosen row")
  func optionBorders() throws {
    for (style, widths) in [(FlowChoice.Style.options, [0.0, 0, 0]), (.choice, [1, 2, 1])] {
      guard case .choice(let choice) = try node(Element.choice("c", style, selected: ["b"])).content else {
        Issue.record("no choice")
        return
      }
      #expect(choice.options.map(\.border.width) == widths)
    }
  }

  @Test("Fields and choices are as wide as their parent, unless the document says something else")
  func widths() throws {
    let elements = [Element.entry("e"), Element.toggle("t"), Element.date("d"), Element.choice("c")]
    for var element in elements {
      #expect(try node(element).box.width == .fill)
      element.width = .pixels(80)
      #expect(try node(element).box.width == .pixels(80))
    }
    #expect(try node(Element.text("x", "x")).box.width == .auto)
  }

  @Test("A field has the theme's colours, or the author's and a text that is readable on them")
  func fieldColors() throws {
    func entry(_ change: (inout FlowEntry) -> Void) throws -> RenderEntry? {
      guard case .entry(let entry) = try node(Element.entry("e") { change(&$0) }).content else { return nil }
      return entry
    }
    let plain = try #require(try entry { _ in })
    #expect(plain.fieldBorder == nil && plain.fieldBackground == nil && plain.textColor == .theme)
    let own = try #require(
      try entry {
        $0.backgroundColor = Self.blue
        $0.border = FlowBorder(color: Self.black)
      })
    #expect(own.fieldBorder == RenderBorder(width: 1, color: Self.black))
    #expect(own.fieldBackground == Self.blue && own.textColor == .fixed(Self.white))
  }

  @Test("A node shows a press as its behaviours say")
  func press() throws {
    let taps = [TapBehavior(.bump(scale: 0.9), duration: 0.3), TapBehavior(.opacity(0.5))]
    #expect(
      try node(Element.text("t", "x", taps: taps)).press == PressEffect(scale: 0.9, opacity: 0.5, duration: 0.3))
    #expect(try node(Element.button("b", "Go")).press == PressEffect())
    #expect(try node(Element.text("t", "x")).press == nil)
  }
}
