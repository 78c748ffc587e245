import TesseraJSON
import Testing

@testable import FCKOnboardingClient

/// The answer for a placement (NativeScreens.md, rule 2).
@Suite struct PlacementResponseTests {
  private static func response(_ text: String) throws -> PlacementResponse {
    var problems: [FlowProblem] = []
    return try PlacementResponse(Array(text.utf8), problems: &problems)
  }

  @Test("the sample has a flow and all members") func theSample() throws {
    var problems: [FlowProblem] = []
    let response = try PlacementResponse(ClientLab.fixture("fck-flow-all-elements"), problems: &problems)
    #expect(response.flowId == "flow-1" && response.config?.flowId == "flow-1")
    #expect(response.config?.screens.isEmpty == false)
    #expect(response.placementName == "main" && response.version != nil)
  }

  @Test("a finished flow is an answer without a flow") func aFinishedFlow() throws {
    var problems: [FlowProblem] = []
    let response = try PlacementResponse(ClientLab.fixture("fck-flow-completed"), problems: &problems)
    #expect(response.flowId == "flow-1" && response.config == nil && response.isControl == true)
    #expect(problems.isEmpty)
  }

  @Test("a message without a flow means that there is none") func aMessage() {
    var problems: [FlowProblem] = []
    #expect(throws: FCKAPIClient.APIError.noActiveFlow) {
      try PlacementResponse(ClientLab.fixture("fck-flow-none"), problems: &problems)
    }
  }

  @Test("members of other types count as missing") func otherTypes() throws {
    let response = try Self.response(
      #"""
      {"flowId": "f", "name": 1, "version": "4", "placementId": [], "placementName": {}, "campaignId": true,
       "variantId": null, "isControl": "yes", "isSticky": 1, "message": 5}
      """#)
    var expected = PlacementResponse()
    expected.flowId = "f"
    #expect(response == expected)
  }

  @Test("all members are read") func allMembers() throws {
    let response = try Self.response(
      #"""
      {"flowId": "f", "name": "n", "version": 4, "placementId": "p", "placementName": "pn", "campaignId": "c",
       "variantId": "v", "isControl": false, "isSticky": true, "message": "m"}
      """#)
    #expect(response.name == "n" && response.version == 4 && response.placementId == "p")
    #expect(response.placementName == "pn" && response.campaignId == "c" && response.variantId == "v")
    #expect(response.isControl == false && response.isSticky == true && response.message == "m")
  }

  @Test("the flow has the id of the answer, else its own") func theFlowsId() throws {
    #expect(try Self.response(ClientLab.flow(id: "outer")).config?.flowId == "outer")
    let screens = #"[{"id": "a", "type": "question", "root": {"type": "text", "content": "x"}}]"#
    let response = try Self.response(
      #"{"flowId": 7, "config": {"flowId": "own", "version": 1, "screens": \#(screens)}}"#)
    #expect(response.config?.flowId == "own")
  }

  private static let noFlows = [
    #"{"flowId": "f", "config": 5}"#, #"{"flowId": "f", "config": {}}"#, #"{"flowId": "f", "config": {"version": 1}}"#,
    #"{"flowId": "f", "config": "text"}"#, "5", "null", "\u{FEFF}{}", #"{"flowId": "#,
  ]

  @Test("something else than a flow is an error", arguments: noFlows) func noFlow(text: String) {
    do {
      _ = try Self.response(text)
      Issue.record("It was read.")
    } catch FCKAPIClient.APIError.decodingError(let reason) {
      #expect(reason.hasSuffix("."))
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test("a hostile document is refused") func hostileDocuments() {
    let deep = String(repeating: #"{"config":"#, count: 10_000) + String(repeating: "}", count: 10_000)
    let documents: [[UInt8]] = [
      Array(deep.utf8), [0xFF, 0xFE], Array(repeating: UInt8(ascii: " "), count: FlowConfigLimits.documentSize + 1),
    ]
    for document in documents {
      var problems: [FlowProblem] = []
      #expect(throws: FCKAPIClient.APIError.self) { try PlacementResponse(document, problems: &problems) }
    }
  }
}
