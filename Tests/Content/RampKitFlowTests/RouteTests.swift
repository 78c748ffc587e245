import RampKitFlow
import TesseraJSON
import Testing

@Suite struct RouteTests {
  @Test func theSampleWithAVariantAndEnds() throws {
    let sample = try Samples.json("rampkit-navigation")
    let ids = sample.elements("screens").compactMap(\.stringValue)
    var problems: [FlowProblem] = []
    let document: JSONValue = [
      "screens": .array(ids.map { ["id": .string($0), "html": "x"] }), "navigation": sample["navigation"] ?? .null,
    ]
    let flow = try OnboardingData(document.text.utf8, problems: &problems)
    let route = ScreenOrder(ids, flow.navigation)
    let cases = sample.elements("cases")
    #expect(cases.count == 7 && problems.isEmpty)
    for one in cases {
      let from = try #require(ids.firstIndex { $0 == one["from"]?.stringValue })
      let action = try #require(one["action"]?.stringValue)
      let step =
        switch action {
        case "continue": route.continuing(from: from)
        case "goBack": route.goingBack(from: from)
        default: route.navigating(from: from, to: String(action.dropFirst("navigate:".count)))
        }
      let expected: ScreenOrder.Step =
        switch one["to"]?.stringValue {
        case "END": .end
        case "START": .start
        case let id: .screen(try #require(ids.firstIndex { $0 == id }))
        }
      #expect(step == expected, "\(one.text)")
    }
  }

  @Test func withoutAMainFlowTheOrderOfTheDocumentCounts() {
    let route = ScreenOrder(["a", "b"], nil)
    #expect(route.continuing(from: 0) == .screen(1))
    #expect(route.continuing(from: 1) == .end)
    #expect(route.goingBack(from: 1) == .screen(0))
    #expect(route.goingBack(from: 0) == .start)
    #expect(route.navigating(from: 0, to: ScreenOrder.continueTarget) == .screen(1))
    #expect(route.navigating(from: 1, to: ScreenOrder.goBackTarget) == .screen(0))
    #expect(route.navigating(from: 0, to: nil) == .screen(1))
    #expect(route.navigating(from: 1, to: "a") == .screen(0))
  }

  @Test func screensOutsideOfTheMainFlow() {
    let route = ScreenOrder(
      ["a", "b", "left", "nowhere"],
      FlowNavigation(
        mainFlow: ["a", "b", "unknown"],
        screenPositions: [
          "a": .init(x: 0, y: 0, row: "main"), "b": .init(x: 100, y: 0, row: "main"),
          "left": .init(x: -50, y: 0, row: "variant"),
        ]))
    #expect(route.continuing(from: 2) == .screen(0))
    // Nothing is to the left of it, so the order of the document counts.
    #expect(route.goingBack(from: 2) == .screen(1))
    #expect(route.continuing(from: 3) == .end)
    #expect(route.goingBack(from: 3) == .screen(2))
    #expect(route.continuing(from: 99) == .end)
    #expect(route.goingBack(from: -1) == .start)
  }
}
