import FCKOnboardingFlow
import TesseraJSON
import TestSupport
import Testing

/// The samples of documents.
@Suite("The document of a flow") struct DocumentTests {
  private func sample(_ name: String) throws -> (flow: FlowConfig, problems: [FlowProblem]) {
    var problems: [FlowProblem] = []
    let flow = try FlowConfig(try DocumentSamples.bytes(name), problems: &problems)
    return (flow, problems)
  }

  @Test("the sample with all elements has the 13 known kinds and an unknown one")
  func allElements() throws {
    let (flow, problems) = try sample("all-elements")
    #expect(problems == [])
    #expect(flow.flowId == "flow-1" && flow.name == "Demo flow" && flow.version == 4)
    #expect(flow.updatedAt == "2030-01-01T00:00:00Z")
    #expect(flow.screens.map(\.id) == ["start", "end"])
    #expect(flow.screens.map(\.kind) == [.question, .informational])
    #expect(flow.screens.map(\.showProgressBar) == [true, false])
    #expect(flow.screens[1].routes == [FlowRoute(condition: "goal == 'learn'", targetScreenId: "start")])
    #expect(flow.theme?.primaryColor == "#3366FF")
    #expect(flow.theme?.variables.map(\.darkValue) == ["#88AAFF"])
    #expect(flow.variables.map(\.key) == ["name", "kids"])
    #expect(flow.variables.map(\.defaultValue) == ["", "0"])

    let elements = flow.screens.flatMap(\.root.all)
    let types = [
      "stack", "text", "image", "input", "email", "phone", "number", "toggle", "datepicker", "choice", "options",
      "progressbar", "carousel", "button",
    ]
    #expect(elements.map(\.type) == types + ["stack", "text", "button"])
    #expect(elements.filter { if case .unknown = $0.content { true } else { false } }.map(\.id) == ["later"])
    let ids = [
      "root1", "title", "pic", "name", "mail", "tel", "kids", "news", "born", "goal", "topics", "bar", "later", "ok",
      "root2", "bye", "back",
    ]
    #expect(elements.map(\.id) == ids && elements.allSatisfy(\.hasOwnId))
  }

  @Test("no value of the sample with all elements is lost")
  func values() throws {
    let flow = try sample("all-elements").flow
    var all: [String: FlowElement] = [:]
    for element in flow.screens.flatMap(\.root.all) { all[element.id] = element }

    guard case .stack(let stack)? = all["root1"]?.content else { throw WrongKind() }
    #expect(stack.axis == .vertical && stack.spacing == 16 && stack.distribution == .start)
    #expect(stack.alignItems == .center && stack.backgroundColor == FlowColor(red: 255, green: 255, blue: 255))
    #expect(all["root1"]?.padding == Spacing(24) && all["root1"]?.margin == nil)
    guard case .stack(let end)? = all["root2"]?.content else { throw WrongKind() }
    #expect(end.axis == .horizontal && end.spacing == 8 && end.distribution == .spaceBetween && end.glass == .thin)
    #expect(end.tapBehaviors == [TapBehavior(.complete)])

    guard case .text(let text)? = all["title"]?.content else { throw WrongKind() }
    #expect(text.content == "Tell us about you" && text.fontSize == 28 && text.weight == .bold)
    #expect(text.alignment == .center && text.color == FlowColor(red: 0x11, green: 0x22, blue: 0x33))
    #expect(all["title"]?.width == .fill)

    guard case .image(let image)? = all["pic"]?.content else { throw WrongKind() }
    #expect(image.url == "https://cdn.example.org/pic.png" && image.alt == "A friendly robot")
    #expect(image.fit == .cover && image.borderRadius == 8 && all["pic"]?.height == .pixels(160))

    guard case .entry(let name)? = all["name"]?.content, case .entry(let mail)? = all["mail"]?.content,
      case .entry(let phone)? = all["tel"]?.content, case .entry(let kids)? = all["kids"]?.content
    else { throw WrongKind() }
    #expect(name.kind == .text && name.label == "Name" && name.placeholder == "Ada" && name.isRequired)
    #expect(name.variableKey == "name")
    #expect(mail.kind == .email && mail.placeholder == "email@example.com" && !mail.isRequired)
    #expect(mail.border == FlowBorder(radius: 6, color: FlowColor(red: 0xCC, green: 0xCC, blue: 0xCC), width: 1))
    #expect(mail.backgroundColor == FlowColor(red: 255, green: 255, blue: 255))
    #expect(phone.kind == .phone(countryCode: "DE") && phone.placeholder == "Phone number")
    guard case .number(let range) = kids.kind else { throw WrongKind() }
    #expect(range.minimum == 0 && range.maximum == 12 && range.step == 1 && range.showsStepper)
    #expect(kids.placeholder == "0")

    guard case .toggle(let toggle)? = all["news"]?.content else { throw WrongKind() }
    #expect(toggle.label == "Newsletter" && toggle.labelPosition == .right && toggle.initialValue)
    #expect(toggle.onColor == FlowColor(red: 0, green: 0xAA, blue: 0x55) && toggle.variableKey == "news")
    guard case .datePicker(let picker)? = all["born"]?.content else { throw WrongKind() }
    #expect(picker.label == "Birthday" && picker.mode == .date && picker.variableKey == "born")

    guard case .choice(let goal)? = all["goal"]?.content, case .choice(let topics)? = all["topics"]?.content
    else { throw WrongKind() }
    #expect(goal.style == .choice && !goal.allowsMultiple && goal.initialSelection == ["g1"])
    #expect(goal.options.map(\.storedValue) == ["learn", "Play"] && goal.options[0].icon == "📘")
    #expect(topics.style == .options && topics.allowsMultiple && topics.options.map(\.id) == ["o1", "o2"])

    guard case .progressBar(let bar)? = all["bar"]?.content else { throw WrongKind() }
    #expect(bar.progress == 50 && bar.barColor == FlowColor(red: 0x33, green: 0x66, blue: 0xFF))
    guard case .button(let button)? = all["ok"]?.content else { throw WrongKind() }
    #expect(button.text == "Continue" && button.style == .filled && button.borderRadius == 12)
    #expect(
      button.tapBehaviors == [
        TapBehavior(.haptics(.medium)), TapBehavior(.bump(scale: 0.96)), TapBehavior(.opacity(0.8)),
        TapBehavior(.navigate(screenId: "end"), delay: 0.1),
      ])
    guard case .button(let back)? = all["back"]?.content else { throw WrongKind() }
    #expect(back.style == .outline && back.tapBehaviors == [TapBehavior(.back)])
  }

  @Test("the flat and the nested form of a flow are equal")
  func nested() throws {
    #expect(try sample("nested-config").problems == [])
    #expect(try sample("nested-config").flow == sample("all-elements").flow)
    // And so are the `config` members alone, but for what only the answer around them says.
    let flows = try ["all-elements", "nested-config"].map { name in
      let document = try FlowConfig.json(try DocumentSamples.bytes(name))
      var problems: [FlowProblem] = []
      return try FlowConfig(try #require(document["config"]), problems: &problems)
    }
    #expect(flows[0].flowId == nil && flows[1].flowId == "flow-1")
    #expect(flows[0].screens == flows[1].screens && flows[0].variables == flows[1].variables)
    #expect(flows[0].theme == flows[1].theme && flows[0].updatedAt == flows[1].updatedAt)
  }

  @Test(
    "the inner flow wins if it is one",
    arguments: [
      (#"{"version": 1, "screens": [], "config": {"version": 2, "screens": []}}"#, 2, ["warning config.screens"]),
      (#"{"version": 1, "screens": [], "config": {"version": 2}}"#, 1, ["error config", "warning screens"]),
      (#"{"version": 1, "screens": [], "config": {"screens": {}}}"#, 1, ["error config", "warning screens"]),
      (#"{"version": 1, "screens": [], "config": null}"#, 1, ["warning screens"]),
      (#"{"version": 1, "screens": [], "config": []}"#, 1, ["error config", "warning screens"]),
      (#"{"version": 3, "config": {"screens": []}}"#, 3, ["warning config.screens"]),
      (#"{"config": {"config": {"version": 7, "screens": []}}}"#, 7, ["warning config.config.screens"]),
      (
        #"{"config": {"version": 6, "screens": [], "config": {}}}"#, 6,
        ["error config.config", "warning config.screens"]
      ),
    ])
  func layers(document: String, version: Int, problems: [String]) throws {
    let read = try DocumentSamples.read(document)
    #expect(read.flow.version == version)
    #expect(read.problems == problems)
  }

  @Test(
    "what is no flow is refused with a reason",
    arguments: [
      ("[]", "The document is not a JSON object."), ("{}", "The flow has no array “screens”."),
      (#"{"screens": []}"#, "The flow has no whole number “version”."),
      (#"{"version": 1.5, "screens": []}"#, "The flow has no whole number “version”."),
      (#"{"version": 1e300, "screens": []}"#, "The flow has no whole number “version”."),
      (#"{"version": 1, "screens": {}}"#, "The flow has no array “screens”."),
      (#"{"flowId": "a", "config": null}"#, "The document has no flow: its “config” is null."),
      (#"{"message": "x"}"#, "The flow has no array “screens”."),
      (#"{"config": {"config": {"config": {"version": 1, "screens": []}}}}"#, "The flow has no array “screens”."),
    ])
  func noFlow(document: String, reason: String) {
    #expect(throws: FlowDocumentError.noFlow(reason)) { try DocumentSamples.read(document) }
  }

  @Test(
    "what an element does not say has the default of its kind",
    arguments: [
      (
        #"{"type": "stack"}"#,
        #"{"axis": "vertical", "spacing": 0, "distribution": "start", "alignItems": "center", "children": []}"#
      ),
      (
        #"{"type": "text", "content": ""}"#,
        ##"{"fontSize": 16, "color": "#000000", "alignment": "left", "fontWeight": "regular"}"##
      ),
      (#"{"type": "image", "url": ""}"#, #"{"objectFit": "contain", "borderRadius": 0}"#),
      (
        #"{"type": "button"}"#,
        ##"{"style": "filled", "backgroundColor": "#007AFF", "textColor": "#FFFFFF", "borderRadius": 12}"##
      ),
      (#"{"type": "email"}"#, #"{"placeholder": "email@example.com", "required": false}"#),
      (#"{"type": "phone"}"#, #"{"placeholder": "Phone number", "countryCode": "US"}"#),
      (#"{"type": "number"}"#, #"{"placeholder": "0", "step": 1, "showStepper": false}"#),
      (#"{"type": "toggle"}"#, ##"{"labelPosition": "left", "value": false, "onColor": "#00FF41"}"##),
      (#"{"type": "datepicker"}"#, #"{"mode": "date"}"#),
      (
        #"{"type": "choice"}"#,
        ##"{"selectionMode": "single", "checkboxPosition": "left", "optionBackgroundColor": "#F5F5F5", "##
          + ##""optionBorderColor": "#E5E5E5", "optionBorderRadius": 12, "selectedBackgroundColor": "#3300FF41", "##
          + ##""selectedBorderColor": "#00FF41", "selectedTextColor": "#000000"}"##
      ),
      (
        ##"{"type": "options", "selectedBackgroundColor": "#123456"}"##,
        ##"{"multiple": false, "optionTextColor": "#000000", "selectedTextColor": "#FFFFFF", "optionBorderRadius": 12, "##
          + ##""optionBackgroundColor": "#F5F5F5", "selectedBorderColor": "#123456"}"##
      ),
      (#"{"type": "options"}"#, ##"{"selectedBackgroundColor": "#4CAF50"}"##),
      (#"{"type": "progressbar"}"#, ##"{"progress": 0, "barColor": "#007AFF", "trackColor": "#E5E5E5"}"##),
    ])
  func defaults(element: String, members: String) throws {
    let flow = try DocumentSamples.read(DocumentSamples.document(element)).flow
    guard case .array(let screens)? = flow.json["screens"], case .object(let expected) = try JSONValue(text: members)
    else { throw WrongKind() }
    let root = screens.first?["root"]
    for member in expected.members { #expect(root?[member.name] == member.value, "\(member.name)") }
  }

  @Test("a number beyond its limits is said with the one that is used")
  func limits() throws {
    var problems: [FlowProblem] = []
    let document = DocumentSamples.document(#"{"type": "progressbar", "progress": 250.5}"#)
    _ = try FlowConfig(document.utf8, problems: &problems)
    #expect(problems.map(\.message) == ["The number must be from 0 to 100, so 100 is used."])
  }

  @Test("a written flow is read as it was", arguments: ["all-elements", "nested-config", "tolerance"])
  func identity(name: String) throws {
    let flow = try sample(name).flow
    let (again, problems) = try DocumentSamples.read(flow.json.text)
    #expect(again == flow)
    #expect(problems == [])
    #expect(again.json == flow.json)
  }

  private struct WrongKind: Error {}
}
