import RampKitFlow
import TesseraJSON
import Testing

@Suite struct CheckTests {
  private static func findings(_ text: String) -> [String] {
    FlowCheck(Array(text.utf8)).findings.map {
      "\($0.position.line):\($0.position.column) \($0.problem.severity) \($0.problem.place)"
    }
  }

  @Test func aProblemHasItsLineAndColumn() {
    #expect(
      Self.findings(
        """
        {
          "screens": [
            {"id": "ä", "html": "x"}, {"html": "x"},
            {"id": "a", "html": "x", "css": 1},
            {"id": "a", "html": "x"}
          ],
          "variables": {"state": [{"name": "v"}, {}]},
          "requiredScripts": ["http://a.example/"],
          "navigation": {"mainFlow": ["a", "b"]},
          "components": {"one": {"html": "x"}, "two": {}}
        }
        """) == [
          "3:31 error screens[1]", "4:37 error screens[2].css", "5:12 error screens[3].id",
          "7:42 error variables.state[1]", "8:23 error requiredScripts[0]", "9:36 error navigation.mainFlow[1]",
          "10:47 error components.two",
        ])
  }

  /// The place in the document, although an earlier screen was left out.
  @Test func aProblemOfAPageIsAtItsScreen() {
    let findings = Self.findings(
      """
      {"screens": [
        {},
        {"id": "a", "html": "<a data-tap-dynamic='{'>x</a>"}
      ]}
      """)
    #expect(findings == ["2:3 error screens[0]", "3:23 error screens[1].html"])
  }

  @Test(arguments: [
    ("", "1:1 error "), ("{", "1:2 error "), ("{\n  \"screens\": [}", "2:15 error "), ("[]", "1:1 error "),
    ("{\"screens\": 1}", "1:1 error "), ("{}", "1:1 error "),
  ])
  func aDocumentThatIsNoFlow(text: String, expected: String) {
    let check = FlowCheck(Array(text.utf8))
    #expect(check.flow == nil && check.hasErrors)
    #expect(Self.findings(text) == [expected])
  }

  @Test func warningsAreNoErrors() {
    let check = FlowCheck(Array(#"{"screens": [{"id": "a", "html": ""}]}"#.utf8))
    #expect(check.findings.map(\.problem.severity) == [.warning] && !check.hasErrors)
    #expect(FlowCheck(Array(#"{"screens": [{"id": "a", "html": "x"}]}"#.utf8)).findings == [])
  }

  @Test func manyWarningsAreNoError() {
    let names = (0..<300).map { "${n\($0)}" }.joined()
    let pages = (0..<2).map { #"{"id": "\#($0)", "html": "\#(names)"}"# }.joined(separator: ",")
    let check = FlowCheck(Array("{\"screens\": [\(pages)]}".utf8))
    #expect(check.findings.count == FlowLimits.problems && !check.hasErrors)
    #expect(check.findings.last?.problem == FlowProblem(.warning, "There may be more problems.", at: []))
  }

  // MARK: - Hostile documents

  @Test func limits() throws {
    var problems: [FlowProblem] = []
    #expect(throws: FlowDocumentError.tooLarge(limit: FlowLimits.documentSize)) {
      try OnboardingData([UInt8](repeating: 0x20, count: FlowLimits.documentSize + 1), problems: &problems)
    }
    #expect(throws: FlowDocumentError.notText) {
      try OnboardingData([0x7B, 0xFF, 0x7D] as [UInt8], problems: &problems)
    }
    let deep = #"{"screens":"# + String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000) + "}"
    #expect(throws: FlowDocumentError.self) { try OnboardingData(deep.utf8, problems: &problems) }
    let screens = (0...FlowLimits.screens).map { "{\"id\":\"\($0)\"}" }.joined(separator: ",")
    #expect(throws: FlowDocumentError.self) {
      try OnboardingData("{\"screens\":[\(screens)]}".utf8, problems: &problems)
    }
    let variables = (0...FlowLimits.variables).map { "{\"name\":\"\($0)\"}" }.joined(separator: ",")
    let flow = try OnboardingData(
      "{\"screens\":[],\"variables\":{\"state\":[\(variables)]}}".utf8, problems: &problems)
    #expect(flow.variables == [])
  }

  /// A document in which everything is wrong is checked once, not once for each problem.
  @Test func manyProblemsAreBounded() {
    let entries = (0..<30_000).map { "\"k\($0)\":1" }.joined(separator: ",")
    let check = FlowCheck(Array("{\"screens\":[{\"id\":\"a\",\"html\":\"x\",\"translations\":{\(entries)}}]}".utf8))
    #expect(check.findings.count <= FlowLimits.problems)
    #expect(check.findings.last?.problem.message.contains("more") == true)
  }

  @Test(arguments: [
    #"{"screens":[null,1,"x",[],{"id":null},{"id":""},{"id":"a","html":7,"translations":[],"js":{}}]}"#,
    #"{"screens":[{"id":"a","translations":{"de":[],"fr":{"x":1}}}],"variables":[],"navigation":7,"components":[1]}"#,
    #"{"screens":[{"id":"a"}],"navigation":{"mainFlow":{},"screenPositions":{"a":{"x":"1"},"b":{"x":1,"y":1}}}}"#,
  ])
  func wrongTypesAreLeftOut(text: String) throws {
    var problems: [FlowProblem] = []
    let flow = try OnboardingData(text.utf8, problems: &problems)
    #expect(flow.screens.map(\.id) == ["a"])
    #expect(!problems.isEmpty)
  }
}
