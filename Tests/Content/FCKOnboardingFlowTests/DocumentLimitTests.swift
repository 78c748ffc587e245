import FCKOnboardingFlow
import TesseraJSON
import Testing

/// Documents that are too large, too deep, or have too much of something.
@Suite("Limits of the document") struct DocumentLimitTests {
  /// Stacks around each other, the deepest a choice with an option: the deepest JSON of an element.
  private func nested(_ depth: Int) -> String {
    let deepest = #"{"type": "choice", "options": [{"label": "a"}], "padding": {"top": {"value": 1}}}"#
    return String(repeating: #"{"type": "stack", "children": ["#, count: depth - 1) + deepest
      + String(repeating: "]}", count: depth - 1)
  }

  @Test("elements around each other")
  func depth() throws {
    let (flow, problems) = try DocumentSamples.read(DocumentSamples.document(nested(FlowConfigLimits.depth)))
    #expect(problems == [])
    #expect(flow.screens[0].root.all.count == FlowConfigLimits.depth)
    // The same in an answer, and in a flow in it.
    let answer = #"{"config": {"config": \#(DocumentSamples.document(nested(FlowConfigLimits.depth)))}}"#
    #expect(try DocumentSamples.read(answer).flow == flow)
    #expect(try DocumentSamples.read(flow.json.text).flow == flow)
    #expect(throws: FlowDocumentError.noFlow("Elements are nested more than 32 levels deep.")) {
      try DocumentSamples.read(DocumentSamples.document(nested(FlowConfigLimits.depth + 1)))
    }
  }

  @Test("10,000 elements or arrays around each other are refused")
  func veryDeep() {
    for document in [
      DocumentSamples.document(nested(10_000)), String(repeating: "[", count: 10_000),
      #"{"version": 1, "screens": [], "variables": \#(String(repeating: "[", count: 10_000))"#,
      String(repeating: #"{"config":"#, count: 10_000),
    ] {
      #expect {
        try DocumentSamples.read(document)
      } throws: { error in
        guard case FlowDocumentError.json(let json) = error else { return false }
        return json.reason == .nesting && json.failure.cause.contains("deeper than 96 levels")
      }
      let check = FCKFlowCheck(Array(document.utf8))
      #expect(check.flow == nil && check.findings.count == 1)
      #expect(!FCKFlowCheck.recognizes(Array(document.utf8)))
    }
  }

  /// 10,000 levels that no parser has seen.
  @Test("a deep value is refused too")
  func deepValue() {
    var element: JSONValue = ["type": "text", "content": "x"]
    for _ in 0..<1_000 { element = ["type": "stack", "children": [element]] }
    let document: JSONValue = ["version": 1, "screens": [["id": "s", "root": element]]]
    var problems: [FlowProblem] = []
    #expect(throws: FlowDocumentError.noFlow("Elements are nested more than 32 levels deep.")) {
      try FlowConfig(document, problems: &problems)
    }
    #expect(problems.count == 1)
  }

  @Test("the number of screens, elements and options")
  func counts() throws {
    func screens(_ count: Int) -> String {
      let screens = (0..<count).map { #"{"id": "\#($0)", "root": {"type": "text", "content": ""}}"# }
      return #"{"version": 1, "screens": [\#(screens.joined(separator: ","))]}"#
    }
    func elements(_ count: Int) -> String {
      let elements = [String](repeating: #"{"type": "x"}"#, count: count - 1)
      return DocumentSamples.document(#"{"type": "stack", "children": [\#(elements.joined(separator: ","))]}"#)
    }
    func options(_ count: Int) -> String {
      let options = [String](repeating: #"{"label": ""}"#, count: count / 2).joined(separator: ",")
      let choices = [String](repeating: #"{"type": "choice", "options": [\#(options)]}"#, count: 2)
      return DocumentSamples.document(#"{"type": "stack", "children": [\#(choices.joined(separator: ","))]}"#)
    }
    #expect(try DocumentSamples.read(screens(100)).flow.screens.count == 100)
    #expect(try DocumentSamples.read(elements(2_000)).flow.screens[0].root.all.count == 2_000)
    #expect(try DocumentSamples.read(options(2_000)).flow.screens[0].root.all.count == 3)
    for (document, reason) in [
      (screens(101), "The flow has 101 screens. At most 100 are allowed."),
      (elements(2_001), "The flow has more than 2000 elements."),
      (options(2_002), "The flow has more than 2000 options."),
    ] {
      #expect(throws: FlowDocumentError.noFlow(reason)) { try DocumentSamples.read(document) }
    }
  }

  @Test("elements that are left out count too")
  func wrongElements() {
    let elements = [String](repeating: "0", count: 2_000).joined(separator: ",")
    #expect(throws: FlowDocumentError.noFlow("The flow has more than 2000 elements.")) {
      try DocumentSamples.read(DocumentSamples.document(#"{"type": "stack", "children": [\#(elements)]}"#))
    }
  }

  /// A comparison of strings by their meaning would need minutes.
  @Test("a name of a million combining marks is a name")
  func marks() {
    let name = "a" + String(repeating: "\u{301}\u{316}", count: 500_000)
    let check = FCKFlowCheck(Array(#"{"version": 1, "\#(name)": 1, "screens": [7]}"#.utf8))
    #expect(check.findings.map(\.problem.place) == ["screens[0]"])
    #expect(check.findings.map(\.position.column).allSatisfy { $0 > 1_000_000 })
  }

  @Test("the size and the encoding of the document")
  func size() {
    var problems: [FlowProblem] = []
    let space = [UInt8](repeating: 0x20, count: FlowConfigLimits.documentSize + 1)
    #expect(throws: FlowDocumentError.tooLarge(limit: 2 << 20)) { try FlowConfig(space, problems: &problems) }
    #expect(throws: FlowDocumentError.notText) { try FlowConfig([0x7B, 0xFF] as [UInt8], problems: &problems) }
    #expect(problems == [])
    #expect(FCKFlowCheck(space).findings.map(\.problem.message) == ["The document of the flow has more than 2 MiB."])
  }

  @Test("long texts are cut, long names are left out")
  func texts() throws {
    let long = String(repeating: "é", count: FlowConfigLimits.textLength)
    let name = String(repeating: "n", count: 257)
    let (root, problems) = try DocumentSamples.element(
      #"{"type": "text", "id": "\#(name)", "content": "\#(long)x"}"#)
    guard case .text(let text)? = root?.content else { throw WrongKind() }
    #expect(text.content == long)
    #expect(root?.id == "element-1" && root?.hasOwnId == false)
    #expect(problems == ["warning .content", "error .id"])
    #expect(try DocumentSamples.element(#"{"type": "text", "content": "\#(long)"}"#).problems == [])
    #expect(try DocumentSamples.element(#"{"type": "\#(name)"}"#).element == nil)
    let address = "https://a.example/" + String(repeating: "a", count: FlowConfigLimits.addressLength)
    #expect(try DocumentSamples.element(#"{"type": "image", "url": "\#(address)"}"#).element == nil)
  }

  @Test("many equal long ids stay different, short and equal when they are read again")
  func equalIds() throws {
    let id = String(repeating: "é", count: 128)
    let elements = [String](repeating: #"{"type": "x", "id": "\#(id)"}"#, count: 1_500).joined(separator: ",")
    let (flow, problems) = try DocumentSamples.read(
      DocumentSamples.document(#"{"type": "stack", "children": [\#(elements)]}"#))
    let ids = flow.screens[0].root.all.map(\.id)
    #expect(Set(ids).count == 1_501 && ids.allSatisfy { $0.utf8.count <= 256 })
    #expect(problems.count <= FlowProblem.maximumCount + 1)
    #expect(try DocumentSamples.read(flow.json.text).flow == flow)
  }

  @Test("many behaviours and long lists")
  func lists() throws {
    let behaviors = [String](repeating: #"{"type": "back"}"#, count: 17).joined(separator: ",")
    let read = try DocumentSamples.element(#"{"type": "text", "content": "x", "tapBehaviors": [\#(behaviors)]}"#)
    guard case .text(let text)? = read.element?.content else { throw WrongKind() }
    #expect(text.tapBehaviors.count == FlowConfigLimits.behaviors && read.problems == ["error .tapBehaviors"])
    let variables = [String](repeating: #"{"id":"","key":"","name":"","type":""}"#, count: 1_001).joined(separator: ",")
    let flow = try DocumentSamples.read(#"{"version": 1, "screens": [], "variables": [\#(variables)]}"#)
    #expect(flow.flow.variables == [] && flow.problems == ["warning screens", "error variables"])
  }

  private struct WrongKind: Error {}
}
