import Testing

@testable import FCKOnboardingFlow

/// The limits of a field for numbers: those of the document for answers, and the standard ones for steps.
@Suite struct NumberLimitTests {
  /// The number on the first of two screens.
  private static func flow(_ element: FlowElement) -> FlowConfig {
    FlowConfig([element, Element.button("next", "", .next)], [Element.button("end", "", .complete)])
  }

  @Test(
    "only the limits that the document states refuse a number",
    arguments: [
      (#"{"id": "n", "type": "number"}"#, ["180", "-1", "0", "250.5", "12345678901234567890"]),
      (#"{"type": "number", "showStepper": true}"#, ["180", "-1"]),
      (#"{"type": "input", "inputType": "number"}"#, ["180", "-1"]),
      (#"{"type": "number", "min": 1}"#, ["180", "1000000"]),
      (#"{"type": "number", "max": 200}"#, ["-1", "180", "200"]),
    ])
  func stated(element: String, texts: [String]) throws {
    let number = try #require(try DocumentSamples.element(element).element)
    for text in texts {
      var showing = Showing(Self.flow(number))
      showing.send(.text(number.id, text))
      showing.send(.commit(number.id))
      #expect(showing.marked == [], "\(text)")
      showing.send(.tap("next"))
      #expect(showing.session.screenIndex == 1, "\(text)")
      if number.hasOwnId { #expect(showing.answers == ["\(number.id)=\(text)"]) }
    }
  }

  @Test(
    "steps stay from 0 to 100 where the document states no limit, and go on from a number beyond that",
    arguments: [
      (#"{"type": "number"}"#, 0.0, -1, 0.0), (#"{"type": "number"}"#, 0, 1, 1), (#"{"type": "number"}"#, 100, 1, 100),
      (#"{"type": "number"}"#, 100, -1, 99), (#"{"type": "number"}"#, 180, 1, 181),
      (#"{"type": "number"}"#, 180, -1, 179),
      (#"{"type": "number"}"#, -1, -1, -2), (#"{"type": "number"}"#, -1, 1, 0),
      (#"{"type": "number", "max": 5}"#, 5, 1, 5), (#"{"type": "number", "max": 5}"#, 0, -1, 0),
      (#"{"type": "number", "max": 200}"#, 150, 1, 151), (#"{"type": "number", "min": 200}"#, 200, 1, 201),
      (#"{"type": "number", "max": -3}"#, -3, -1, -4), (#"{"type": "number", "min": 100}"#, 100, 1, 101),
      (#"{"type": "number", "max": 0}"#, 0, -1, -1), (#"{"type": "number", "min": -5}"#, 0, -1, -1),
      (#"{"type": "number", "step": 0.1}"#, 0.7, 1, 0.8), (#"{"type": "number"}"#, 1e20, 1, 1e20),
      (#"{"type": "input", "inputType": "number"}"#, 0, -1, -1),
      (#"{"type": "input", "inputType": "number"}"#, 100, 1, 101),
    ])
  func reach(element: String, from: Double, count: Int, to: Double) throws {
    guard case .entry(let entry)? = try DocumentSamples.element(element).element?.content,
      case .number(let range) = entry.kind
    else { throw WrongKind() }
    #expect(range.stepped(from, by: count) == to)
    #expect(range.reach(from: from).contains(to))
  }

  private struct WrongKind: Error {}

  @Test("the limits and the steps are written as they were read", arguments: ["number", "input"])
  func identity(type: String) throws {
    for members in ["", #", "min": 1"#, #", "max": 200"#, #", "min": 0, "max": 100, "showStepper": true"#] {
      let flow = try DocumentSamples.read(
        DocumentSamples.document(#"{"type": "\#(type)", "inputType": "number"\#(members)}"#)
      ).flow
      #expect(try DocumentSamples.read(flow.json.text).flow == flow, "\(members)")
    }
  }

  @Test("a step leaves the digits of a number that it cannot count")
  func largeNumber() {
    var showing = Showing(Self.flow(Element.number("x", nil, nil)))
    showing.send(.text("x", "12345678901234567890"))
    #expect(showing.send(.step("x", by: 1)) == [] && showing.answers == ["x=12345678901234567890"])
  }

  @Test("without a locale a step leads to a number that is read again")
  func steppedText() {
    var showing = Showing(Self.flow(Element.number("x", 0, 9, step: 0.125)))
    showing.send(.text("x", "1"))
    showing.send(.step("x", by: 1))
    showing.send(.tap("next"))
    #expect(showing.session.screenIndex == 1 && showing.answers == ["x=1.125"])
  }
}
