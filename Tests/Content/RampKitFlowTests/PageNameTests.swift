import RampKitFlow
import TesseraJSON
import Testing

/// The names in a document, by which pages find screens, variables and components.
@Suite struct PageNameTests {
  private static func read(_ document: JSONValue) throws -> (flow: OnboardingData, places: [String]) {
    var problems: [FlowProblem] = []
    let flow = try OnboardingData(document.text.utf8, problems: &problems)
    #expect(problems.allSatisfy { $0.message.utf8.count < 400 })
    return (flow, problems.map(\.place))
  }

  private static func document(screen: String, variable: String, component: String) -> JSONValue {
    [
      "screens": [["id": .string(screen), "html": "x"], ["id": "last", "html": "x"]],
      "variables": ["state": [["name": .string(variable)], ["name": "last"]]],
      "components": .object([component: ["html": "x"], "last": ["html": "x"]]),
    ]
  }

  /// In bytes of UTF-8.
  @Test func aNameHasALimit() throws {
    let longest = String(repeating: "é", count: 128)
    let kept = try Self.read(Self.document(screen: longest, variable: longest, component: longest))
    #expect(kept.places == [])
    #expect(kept.flow.screens.count == 2 && kept.flow.variables.count == 2 && kept.flow.components.count == 2)
    let long = longest + "x"
    let cut = try Self.read(Self.document(screen: long, variable: long, component: long))
    #expect(cut.places == ["screens[0]", "variables.state[0]", "components"])
    #expect(cut.flow.screens.map(\.id) == ["last"])
    #expect(cut.flow.variables.map(\.name) == ["last"])
    #expect(Array(cut.flow.components.keys) == ["last"])
  }

  @Test func translationsAndPositionsHaveItToo() throws {
    let long = String(repeating: "x", count: 257)
    let (flow, places) = try Self.read([
      "screens": [
        [
          "id": "a", "html": "x",
          "translations": .object([long: ["p": "x"], "de": .object([long: "x", "p": "y"])]),
        ]
      ],
      "navigation": ["mainFlow": ["a"], "screenPositions": .object([long: ["x": 1, "y": 1]])],
    ])
    #expect(places == ["screens[0].translations", "screens[0].translations.de", "navigation.screenPositions"])
    #expect(flow.screens.first?.translations == ["de": ["p": "y"]])
    #expect(flow.navigation?.screenPositions.isEmpty == true)
  }

  /// A long run of combining marks is slow to compare by Unicode, and quick by bytes.
  @Test(.timeLimit(.minutes(1))) func hostileNamesTakeNoLonger() throws {
    let hostile = JSONValue.string("a" + String(repeating: "\u{301}\u{316}", count: 100_000))
    let many = JSONValue.array(Array(repeating: hostile, count: 8))
    let (flow, places) = try Self.read([
      "screens": [["id": "a", "html": "x"]], "requiredScripts": many, "navigation": ["mainFlow": many],
    ])
    #expect(flow.navigation?.mainFlow == [])
    #expect(places.count == 16)
  }

  /// Pages compare names by their code units: two spellings of one text by Unicode are two names.
  @Test func namesAreComparedByBytes() throws {
    let one = "\u{E9}"
    let other = "e\u{301}"
    try #require(one == other, "Unicode's equivalence")
    let (flow, places) = try Self.read([
      "screens": [["id": .string(one), "html": "x"], ["id": .string(other), "html": "x"]],
      "variables": ["state": [["name": .string(one)], ["name": .string(other)]]],
      "navigation": ["mainFlow": [.string(one), .string(other)]],
    ])
    #expect(places == [])
    #expect(flow.screens.map { Array($0.id.utf8) } == [Array(one.utf8), Array(other.utf8)])
    #expect(flow.variables.map { Array($0.name.utf8) } == [Array(one.utf8), Array(other.utf8)])
    #expect(flow.navigation?.mainFlow.map { Array($0.utf8) } == [Array(one.utf8), Array(other.utf8)])
    let missing = try Self.read([
      "screens": [["id": .string(one), "html": "x"]], "navigation": ["mainFlow": [.string(other)]],
    ])
    #expect(missing.places == ["navigation.mainFlow[0]"])
  }

  @Test func equalNamesAreProblems() throws {
    let (flow, places) = try Self.read([
      "screens": [["id": "a", "html": "x"], ["id": "a", "html": "y"]],
      "variables": ["state": [["name": "v", "initialValue": 1], ["name": "v", "initialValue": 2]]],
    ])
    #expect(places == ["screens[1].id", "variables.state[1].name"])
    #expect(flow.variables == [OnboardingVariable(name: "v", initialValue: 2)])
  }

  @Test func componentsHaveALimit() throws {
    func components(_ count: Int) -> JSONValue {
      let members = (0..<count).map { ("\($0)", ["html": "x"] as JSONValue) }
      return ["screens": [], "components": .object(JSONObject(Dictionary(uniqueKeysWithValues: members)))]
    }
    #expect(try Self.read(components(FlowLimits.components)).flow.components.count == FlowLimits.components)
    let (flow, places) = try Self.read(components(FlowLimits.components + 1))
    #expect(flow.components.isEmpty)
    #expect(places == ["screens", "components"])
  }
}
