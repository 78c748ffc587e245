import FCKOnboardingFlow
import TesseraJSON
import TestSupport
import Testing

/// What is wrong is left out, and nothing else.
@Suite("Tolerance of the document") struct ToleranceTests {
  @Test("the sample")
  func sample() throws {
    var problems: [FlowProblem] = []
    let flow = try FlowConfig(try DocumentSamples.bytes("tolerance"), problems: &problems)
    let root = flow.screens[0].root
    #expect(flow.screens.map(\.kind) == [.unknown("brand-new-kind")])
    #expect(root.all.map(\.type) == ["stack", "text", "datepicker", "choice", "progressbar", "hologram"])
    #expect(!root.hasOwnId)
    #expect(root.all.map(\.id) == (1...6).map { "element-\($0)" })
    #expect(root.padding == Spacing(top: 16, right: 0, bottom: 0, left: 0))
    #expect(root.margin == Spacing(top: 0, right: 8, bottom: 0, left: 4))
    #expect(root.width == .percent(50) && root.height == .viewportHeight(10))
    #expect(root.all[1].width == .pixels(32))
    guard case .text(let text) = root.all[1].content, case .datePicker(let picker) = root.all[2].content,
      case .choice(let choice) = root.all[3].content
    else { throw WrongKind() }
    #expect(text.color == FlowColor(alpha: 0x80, red: 0xFF, green: 0, blue: 0))
    #expect(picker.mode == .datetime)
    #expect(choice.options.map(\.id) == ["a", "b"] && choice.initialSelection == ["a", "b"])
    #expect(flow.variables.map(\.defaultValue) == [["x"], "ok"])
    #expect(
      problems.map { "\($0.severity) \($0.place)" } == [
        "error config.screens[0].root.children[1]", "error config.screens[0].root.children[3].options[2]",
        "error config.screens[0].root.children[4].progress", "warning config.screens[0].root.margin.bottom",
      ])
  }

  @Test(
    "an element that is left out",
    arguments: [
      (#"{"type": "text"}"#, ""), (#"{"type": "text", "content": 1}"#, ".content"), (#"{"type": "image"}"#, ""),
      (#"{"content": "x"}"#, ""), (#"{"type": 7}"#, ".type"), ("7", ""), ("null", ""),
    ])
  func leftOut(element: String, place: String) throws {
    let siblings = #"{"type": "text", "content": "a"}, \#(element), {"type": "text", "content": "b"}"#
    let (root, problems) = try DocumentSamples.element(#"{"type": "stack", "children": [\#(siblings)]}"#)
    #expect(root?.all.count == 3)
    #expect(problems.first == "error .children[1]\(place)")
    #expect(problems.allSatisfy { $0.hasPrefix("error .children[1]") })
  }

  @Test(
    "screens that are left out",
    arguments: [
      ("7", "error screens[0]"), ("{}", "error screens[0]"), (#"{"id": "a"}"#, "error screens[0]"),
      (#"{"root": {"type": "stack"}}"#, "error screens[0]"),
      (#"{"id": 1, "root": {"type": "stack"}}"#, "error screens[0].id"),
      (#"{"id": "a", "root": {"type": "text"}}"#, "error screens[0].root"),
    ])
  func screens(screen: String, problem: String) throws {
    let read = try DocumentSamples.read(
      #"{"version": 1, "screens": [\#(screen), {"id": "b", "root": {"type": "stack"}}]}"#)
    #expect(read.flow.screens.map(\.id) == ["b"])
    #expect(read.problems.first == problem)
  }

  @Test("equal ids of screens, elements and options get a number")
  func ids() throws {
    let root =
      #"{"type": "stack", "id": "a", "children": [{"type": "stack", "id": "a"}, {"type": "x"}, {"type": "x", "id": "a-2"}, "#
      + #"{"type": "x", "id": "element-3"}, {"type": "choice", "id": "a", "defaultValue": "o", "options": "#
      + #"[{"id": "o", "label": "1"}, {"id": "o", "label": "2"}, {"label": "3"}, {"id": "", "label": "4"}]}]}"#
    let read = try DocumentSamples.read(
      #"{"version": 1, "screens": [{"id": "s", "root": \#(root)}, {"id": "s", "root": {"type": "stack", "id": "a"}}]}"#)
    #expect(read.flow.screens.map(\.id) == ["s", "s-2"])
    #expect(read.flow.screens[0].root.all.map(\.id) == ["a", "a-3", "element-4", "a-2", "element-3", "a-4"])
    #expect(read.flow.screens[0].root.all.map(\.hasOwnId) == [true, true, false, true, true, true])
    #expect(read.flow.screens[1].root.id == "a")
    guard case .choice(let choice)? = read.flow.screens[0].root.all.last?.content else { throw WrongKind() }
    #expect(choice.options.map(\.id) == ["o", "o-2", "option-3", "option-4"] && choice.initialSelection == ["o"])
    #expect(
      read.problems.sorted() == [
        "warning screens[0].root.children[0].id", "warning screens[0].root.children[4].id",
        "warning screens[0].root.children[4].options[1].id", "warning screens[1].id",
      ])
    #expect(try DocumentSamples.read(read.flow.json.text).flow == read.flow)
  }

  @Test("variables are left out one by one")
  func variables() throws {
    let right = #"{"id": "i", "key": "k", "name": "n", "type": "t"}"#
    let wrong = #"{"id": "i", "key": "k", "name": "n"}, 7, {"id": 1, "key": "k", "name": "n", "type": "t"}"#
    let read = try DocumentSamples.read(
      #"{"version": 1, "screens": [], "variables": [\#(wrong), \#(right)], "#
        + #""theme": {"variables": [\#(right), \#(wrong)], "textColor": 3}}"#)
    #expect(read.flow.variables == [FlowVariable(id: "i", key: "k", name: "n", type: "t")])
    #expect(read.flow.theme?.variables.map(\.key) == ["k"] && read.flow.theme?.textColor == nil)
    #expect(read.problems.filter { $0.hasPrefix("error") }.count == 9)
  }

  @Test("behaviours are left out one by one")
  func behaviors() throws {
    let behaviors =
      #"[{"type": "navigate"}, {"type": "jump"}, 1, {}, {"type": "bump"}, {"type": "opacity"}, {"type": "haptics"}, "#
      + #"{"type": "navigate", "targetScreenId": "x", "delay": 1e9, "duration": -1}, {"type": "haptics", "intensity": 5}]"#
    let (root, problems) = try DocumentSamples.element(
      #"{"type": "text", "content": "x", "tapBehaviors": \#(behaviors)}"#)
    guard case .text(let text)? = root?.content else { throw WrongKind() }
    #expect(
      text.tapBehaviors == [
        TapBehavior(.bump(scale: 0.95)), TapBehavior(.opacity(0.7)), TapBehavior(.haptics(.light)),
        TapBehavior(.navigate(screenId: "x"), delay: 10, duration: 0), TapBehavior(.haptics(.light)),
      ])
    #expect(problems.count == 7)
  }

  // MARK: - Elements with answers

  @Test(
    "the range of a number",
    arguments: [
      ("", nil, nil, 1), (#", "min": 5, "max": 2"#, 2, 5, 1), (#", "min": 200"#, 200, nil, 1),
      (#", "max": -3"#, nil, -3, 1), (#", "min": 1e999, "max": "7", "step": 0"#, nil, 7, 1),
      (#", "min": -1e300, "max": 1e300, "step": 0.5"#, -1e15, 1e15, 0.5), (#", "step": -2"#, nil, nil, 1),
    ] as [(String, Double?, Double?, Double)])
  func numbers(members: String, minimum: Double?, maximum: Double?, step: Double) throws {
    guard case .entry(let entry)? = try DocumentSamples.element(#"{"type": "number"\#(members)}"#).element?.content,
      case .number(let range) = entry.kind
    else { throw WrongKind() }
    #expect(range.minimum == minimum && range.maximum == maximum && range.step == step)
  }

  @Test(
    "the kinds of inputs",
    arguments: [
      (#"{"type": "input"}"#, FlowEntry(kind: .text)),
      (#"{"type": "input", "inputType": "email"}"#, FlowEntry(kind: .email)),
      (#"{"type": "input", "inputType": "phone"}"#, FlowEntry(kind: .phone(countryCode: ""))),
      (#"{"type": "input", "inputType": "fax", "placeholder": "a"}"#, FlowEntry(kind: .text, placeholder: "a")),
      (#"{"type": "email", "inputType": "number"}"#, FlowEntry(kind: .email, placeholder: "email@example.com")),
      (#"{"type": "phone"}"#, FlowEntry(kind: .phone(countryCode: "US"), placeholder: "Phone number")),
      (
        #"{"type": "phone", "countryCode": "XX"}"#,
        FlowEntry(kind: .phone(countryCode: "US"), placeholder: "Phone number")
      ),
      (
        #"{"type": "phone", "countryCode": "BR"}"#,
        FlowEntry(kind: .phone(countryCode: "BR"), placeholder: "Phone number")
      ),
      (#"{"type": "number"}"#, FlowEntry(kind: .number(FlowNumberRange()), placeholder: "0")),
    ])
  func entries(element: String, entry: FlowEntry) throws {
    let read = try #require(try DocumentSamples.element(element).element)
    #expect(read.content == .entry(entry))
    #expect(try DocumentSamples.element(DocumentSamples.written(read)).element == read)
  }

  @Test(
    "what is chosen at first",
    arguments: [
      (#""b""#, ["b"], []), (#"["b"]"#, ["b"], []), (#"["b", "a"]"#, ["a"], ["warning .defaultValue"]),
      (#""v""#, [], ["warning .defaultValue"]), (#"["a", 1]"#, ["a"], ["error .defaultValue[1]"]),
      ("7", [], ["error .defaultValue"]), (#""""#, [], []), ("null", [], []), ("[]", [], []),
    ])
  func selection(standard: String, ids: [String], problems: [String]) throws {
    let options = #"[{"id": "a", "label": "A", "value": "v"}, {"id": "b", "label": "B"}]"#
    let read = try DocumentSamples.element(
      #"{"type": "choice", "options": \#(options), "defaultValue": \#(standard)}"#)
    guard case .choice(let choice)? = read.element?.content else { throw WrongKind() }
    #expect(choice.initialSelection == ids)
    #expect(read.problems == problems)
  }

  @Test("options need values, choices need labels")
  func options() throws {
    let options = #"[{"label": "A"}, {"label": "B", "value": "b"}, {"value": "c"}]"#
    guard
      case .choice(let buttons)? = try DocumentSamples.element(#"{"type": "options", "options": \#(options)}"#)
        .element?.content,
      case .choice(let choice)? = try DocumentSamples.element(
        #"{"type": "choice", "multiple": true, "options": \#(options)}"#
      ).element?.content
    else { throw WrongKind() }
    #expect(buttons.options.map(\.label) == ["B"] && !buttons.allowsMultiple)
    #expect(choice.options.map(\.storedValue) == ["A", "b"] && !choice.allowsMultiple)
  }

  @Test(
    "the first value of a toggle",
    arguments: [
      ("", false), (#", "defaultValue": true"#, true), (#", "value": false, "defaultValue": true"#, false),
      (#", "value": "true""#, true), (#", "value": 1, "defaultValue": true"#, true),
    ])
  func toggles(members: String, value: Bool) throws {
    guard case .toggle(let toggle)? = try DocumentSamples.element(#"{"type": "toggle"\#(members)}"#).element?.content
    else { throw WrongKind() }
    #expect(toggle.initialValue == value)
  }

  // MARK: - Words

  @Test(
    "words of stacks",
    arguments: [
      ("start", FlowStack.Distribution.start), ("flex-start", .start), ("center", .center), ("end", .end),
      ("flex-end", .end), ("space-between", .spaceBetween), ("space-around", .spaceAround),
      ("space-evenly", .spaceEvenly), ("spread", .start),
    ])
  func distributions(word: String, distribution: FlowStack.Distribution) throws {
    #expect(try stack(#""distribution": "\#(word)""#).distribution == distribution)
  }

  @Test(
    "alignments of stacks",
    arguments: [
      ("center", FlowStack.Alignment.center), ("flex-start", .start), ("start", .start), ("left", .start),
      ("top", .start), ("flex-end", .end), ("end", .end), ("right", .end), ("bottom", .end), ("stretch", .center),
    ])
  func alignments(word: String, alignment: FlowStack.Alignment) throws {
    #expect(try stack(#""alignItems": "\#(word)""#).alignItems == alignment)
  }

  @Test(
    "the axis has two names",
    arguments: [
      (#""axis": "horizontal""#, FlowStack.Axis.horizontal), (#""direction": "horizontal""#, .horizontal),
      (#""axis": "vertical", "direction": "horizontal""#, .vertical), (#""axis": "diagonal""#, .vertical),
      (#""axis": null, "direction": "horizontal""#, .horizontal), (#""spacing": 1"#, .vertical),
    ])
  func axes(members: String, axis: FlowStack.Axis) throws { #expect(try stack(members).axis == axis) }

  @Test(
    "glass",
    arguments: [
      (#""useGlassEffect": true"#, FlowStack.Glass.regular), (#""glassEffectStyle": "thin""#, nil),
      (#""useGlassEffect": true, "glassEffectStyle": "ultraThick""#, .ultraThick),
      (#""useGlassEffect": false, "glassEffectStyle": "thin""#, nil),
      (#""useGlassEffect": true, "glassEffectStyle": "milk""#, .regular),
    ])
  func glass(members: String, glass: FlowStack.Glass?) throws { #expect(try stack(members).glass == glass) }

  private func stack(_ members: String) throws -> FlowStack {
    guard case .stack(let stack)? = try DocumentSamples.element(#"{"type": "stack", \#(members)}"#).element?.content
    else { throw WrongKind() }
    return stack
  }

  @Test("the types of date pickers, and the actions of buttons")
  func types() throws {
    for type in ["datepicker", "datePicker"] {
      #expect(try DocumentSamples.element(#"{"type": "\#(type)"}"#).element?.content == .datePicker(FlowDatePicker()))
    }
    #expect(try DocumentSamples.element(#"{"type": "DatePicker"}"#).element?.content == .unknown("DatePicker"))
    for action in FlowButton.Action.allCases {
      guard
        case .button(let button)? = try DocumentSamples.element(
          #"{"type": "button", "action": "\#(action.rawValue)"}"#
        ).element?.content
      else { throw WrongKind() }
      #expect(button.action == action)
    }
  }

  private struct WrongKind: Error {}
}

extension DocumentSamples {
  /// The text of an element in a flow that was written.
  static func written(_ element: FlowElement) -> String {
    let screen = FlowScreen(id: "s", kind: .question, root: element)
    guard case .array(let screens)? = FlowConfig(version: 1, screens: [screen]).json["screens"] else { return "" }
    return screens.first?["root"]?.text ?? ""
  }
}
