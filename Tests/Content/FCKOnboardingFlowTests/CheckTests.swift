import FCKOnboardingFlow
import TesseraJSON
import Testing

@Suite("The check of a flow") struct CheckTests {
  private static func findings(_ text: String) -> [String] {
    FCKFlowCheck(Array(text.utf8)).findings.map {
      "\($0.position.line):\($0.position.column) \($0.problem.severity) \($0.problem.place)"
    }
  }

  /// What is said about a screen with an element and a way out.
  private static func findings(about element: String) -> [String] {
    let finish = #"{"type": "button", "text": "Done", "action": "complete"}"#
    let root = ##"{"type": "stack", "backgroundColor": "#FFFFFF", "children": [\##(element), \##(finish)]}"##
    return FCKFlowCheck(Array(DocumentSamples.document(root).utf8)).findings.map {
      "\($0.problem.severity) \($0.problem.place.replacing("screens[0].root.children[0]", with: "")): "
        + $0.problem.message
    }
  }

  @Test("a problem has its line and column")
  func positions() {
    let document = """
      {"version": 1, "screens": [
        {"id": "ä", "type": "question", "root": {"type": "text"}},
        {"id": "a", "type": "question", "root":
          {"type": "stack", "axis": 1, "children": [
            {"type": "image"}, 7, {"type": "hologram"},
            {"type": "image", "alt": "", "url": "http://a.example/b.png"},
            {"type": "text", "content": "x", "tapBehaviors": [
              {"type": "complete"}, {"type": "navigate", "targetScreenId": "b"}
            ]}
          ]}},
        {"id": "c", "type": "what", "root": {"type": "input"}, "router": {"routes": [{}]}}
      ]}
      """
    #expect(
      Self.findings(document) == [
        "2:3 error screens[0]", "2:43 error screens[0].root", "4:31 error screens[1].root.axis",
        "5:7 error screens[1].root.children[0]", "5:26 error screens[1].root.children[1]",
        "5:29 warning screens[1].root.children[2]", "6:43 warning screens[1].root.children[3].url",
        "7:56 warning screens[1].root.children[4].tapBehaviors", "11:3 warning screens[2]", "11:3 warning screens[2]",
        "11:3 warning screens[2]", "11:39 warning screens[2].root", "11:39 warning screens[2].root",
        "11:79 warning screens[2].router.routes",
      ])
  }

  @Test("a problem of an inner flow is in it")
  func inner() {
    #expect(
      Self.findings("{\"flowId\": \"a\", \"config\": {\n\"version\": 1, \"screens\": [7]}}")
        == ["2:27 error config.screens[0]"])
  }

  @Test(
    "what is no flow",
    arguments: [
      ("", "1:1 error "), ("{", "1:2 error "), ("{\n  \"screens\": [}", "2:15 error "), ("[]", "1:1 error "),
      ("{\"version\": 1,\n \"screens\": 1}", "1:1 error "), ("{}", "1:1 error "),
      ("{\"flowId\": 1, \"config\": {}}", "1:25 error config"),
    ])
  func noFlow(text: String, expected: String) {
    let check = FCKFlowCheck(Array(text.utf8))
    #expect(check.flow == nil && check.hasErrors)
    #expect(Self.findings(text) == [expected])
  }

  @Test("the samples", arguments: [("all-elements", 2, false), ("nested-config", 2, false), ("tolerance", 9, true)])
  func samples(name: String, count: Int, hasErrors: Bool) throws {
    let check = FCKFlowCheck(try DocumentSamples.bytes(name))
    #expect(check.flow?.screens.isEmpty == false)
    #expect(check.findings.count == count && check.hasErrors == hasErrors)
  }

  @Test(
    "an element that works has no finding",
    arguments: [
      #"{"type": "text", "content": "x"}"#, #"{"type": "image", "url": "https://a.example/b.png", "alt": ""}"#,
      #"{"type": "input", "label": "Name", "variableKey": "n", "required": true}"#, #"{"type": "email", "id": "e"}"#,
      #"{"type": "toggle", "label": "On", "id": "t"}"#, #"{"type": "datepicker", "id": "d"}"#,
      #"{"type": "choice", "id": "c", "options": [{"label": "A"}]}"#,
      #"{"type": "options", "id": "c", "options": [{"label": "A", "value": "a"}]}"#, #"{"type": "progressbar"}"#,
      #"{"type": "button", "text": "Back", "style": "outline", "action": "skip"}"#,
      #"{"type": "text", "content": "x", "tapBehaviors": [{"type": "navigate", "targetScreenId": "s"}]}"#,
    ])
  func right(element: String) { #expect(Self.findings(about: element) == []) }

  @Test(
    "what will not work",
    arguments: [
      (#"{"type": "carousel"}"#, [": This version knows no element of the type “carousel”, so nothing is drawn."]),
      (
        #"{"type": "image", "alt": "", "url": "https://"}"#,
        [".url: A picture is loaded over https only, so a placeholder is shown in place of this one."]
      ),
      (
        #"{"type": "image", "url": "https://a.example/"}"#,
        [": The image has no “alt”, so a screen reader says nothing of it."]
      ),
      (
        #"{"type": "input", "label": "Name", "required": true}"#,
        [": The element has neither a “variableKey” nor an “id”, so its answer is not stored."]
      ),
      (
        #"{"type": "input", "id": "n"}"#,
        [": The input has neither a “label” nor a “placeholder”, so nobody knows what it is for."]
      ),
      (#"{"type": "toggle", "id": "n"}"#, [": The toggle has no “label”, so nobody knows what it is for."]),
      (#"{"type": "choice", "id": "n"}"#, [": There are no options, so nothing can be chosen."]),
      (
        #"{"type": "button", "text": "x"}"#,
        [": The button has neither “tapBehaviors” nor an “action”, so it does nothing."]
      ),
      (#"{"type": "button", "action": "skip"}"#, [": The button has no “text”, so nobody knows what it is for."]),
      (
        ##"{"type": "button", "action": "skip", "text": "x", "textColor": "#0A80FF"}"##,
        [
          ".textColor: The text of the button has nearly the colour of its background, so it cannot be read (contrast "
            + "1.1 to 1)."
        ]
      ),
      (
        ##"{"type": "text", "content": "x", "color": "#EEE"}"##,
        [
          ".color: The text has nearly the colour of its background, so it cannot be read (contrast 1.2 to 1)."
        ]
      ),
      (
        ##"{"type": "text", "content": "x", "color": "#10000000"}"##,
        [".color: The text is nearly transparent, so it cannot be read."]
      ),
      (
        ##"{"type": "choice", "id": "n", "options": [{"label": "A"}], "textColor": "#FFFFFF"}"##,
        [
          ".textColor: The text of an option has nearly the colour of its background, so it cannot be read (contrast "
            + "1.1 to 1)."
        ]
      ),
      (
        ##"{"type": "options", "id": "n", "options": [{"label": "A", "value": "a"}], "selectedTextColor": "#4CAF50"}"##,
        [
          ".selectedTextColor: The text of a chosen option has nearly the colour of its background, so it cannot be "
            + "read (contrast 1.0 to 1)."
        ]
      ),
      (
        #"{"type": "text", "content": "x", "tapBehaviors": [{"type": "navigate", "targetScreenId": "y"}]}"#,
        [".tapBehaviors: No screen has the id “y”, so the press leads nowhere."]
      ),
      (
        #"{"type": "stack", "children": [{"type": "toggle", "label": "a", "variableKey": "k"}, "#
          + #"{"type": "toggle", "label": "b", "variableKey": "k"}]}"#,
        [".children[1]: Another element of the screen stores its answer under “k” too."]
      ),
    ])
  func wrong(element: String, findings: [String]) {
    #expect(Self.findings(about: element) == findings.map { "warning \($0)" })
  }

  @Test(
    "ways through a flow",
    arguments: [
      (["complete"], []), (["next", "next"], []), (["next", "complete", "complete"], ["screens[2]"]),
      ([""], ["screens[0]"]), (["back"], ["screens[0]"]), (["next", ""], ["screens[1]"]),
      (["next", "back"], [""]), (["next", "back", "complete"], ["screens[2]", ""]),
      (["", "next"], ["screens[0]", "screens[1]"]),
    ])
  func ways(actions: [String], places: [String]) {
    let screens = actions.enumerated().map { index, action in
      let root =
        action.isEmpty
        ? #"{"type": "text", "content": "x"}"# : #"{"type": "button", "text": "x", "action": "\#(action)"}"#
      return #"{"id": "\#(index)", "type": "question", "root": \#(root)}"#
    }
    let check = FCKFlowCheck(Array(#"{"version": 1, "screens": [\#(screens.joined(separator: ","))]}"#.utf8))
    #expect(check.findings.map(\.problem.place) == places)
    #expect(!check.hasErrors)
  }

  // MARK: - Kinds

  @Test(
    "the kind of a document",
    arguments: [
      (#"{"screens": [{"root": {}}]}"#, true), (#"{"config": null}"#, true), (#"{"config": {"screens": []}}"#, true),
      (#"{"screens": [{}, {"id": "a", "root": 1}]}"#, true), (#"{"screens": [{"html": "x"}]}"#, false),
      (#"{"screens": [{"html": "x"}], "config": {}}"#, false), (#"{"screens": []}"#, false), ("{}", false),
      ("[]", false), (#"{"screens": {"root": 1}}"#, false), ("{", false), (#"{"screens": [7, null]}"#, false),
    ])
  func kinds(text: String, isNative: Bool) {
    #expect(FCKFlowCheck.recognizes(Array(text.utf8)) == isNative)
    #expect((try? JSONValue(text: text)).map(FCKFlowCheck.recognizes) ?? false == isNative)
  }

  @Test("the samples are of this kind", arguments: ["all-elements", "nested-config", "tolerance", "completed"])
  func sampleKinds(name: String) throws { #expect(FCKFlowCheck.recognizes(try DocumentSamples.bytes(name))) }

  // MARK: - Many findings

  @Test("many warnings are no error")
  func many() {
    let elements = [String](repeating: #"{"type": "hologram"}"#, count: 300).joined(separator: ",")
    let check = FCKFlowCheck(Array(DocumentSamples.document(#"{"type": "stack", "children": [\#(elements)]}"#).utf8))
    #expect(check.findings.count == FlowProblem.maximumCount && !check.hasErrors)
    #expect(check.findings.last?.problem == FlowProblem(.warning, "There may be more problems.", at: []))
  }
}
