import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingFlow

/// Answers that the user takes back.
@Suite struct WithdrawnAnswerTests {
  private static let elements: [FlowElement] = [
    Element.entry("text"), Element.entry("mail", .email), Element.number("kids", 0, 12), Element.date("day"),
    Element.choice("many", multiple: true), Element.choice("tags", .options, multiple: true),
  ]

  @Test(
    "an answer that is taken back is noted, and comes back with the next one",
    arguments: [
      ([.text("text", "Ada")], [.text("text", "")], "text"), ([.text("mail", "a@b.c")], [.text("mail", "  ")], "mail"),
      ([.text("kids", "3")], [.text("kids", "three")], "kids"),
      ([.date("day", FlowDateTime(year: 1990))], [.date("day", nil)], "day"),
      (
        [.option("many", option: "a", isSelected: true)], [.option("many", option: "a", isSelected: false)], "many"
      ),
      (
        [.option("tags", option: "a", isSelected: true)], [.option("tags", option: "a", isSelected: false)], "tags"
      ),
    ] as [([FlowInput], [FlowInput], String)])
  func withdrawn(given: [FlowInput], takenBack: [FlowInput], key: String) {
    var showing = Showing(FlowConfig(Self.elements))
    #expect(showing.session.answers.withdrawn == [], "nobody touched a field")
    for input in given { showing.send(input) }
    let first = showing.session.answers
    #expect(first.withdrawn == [] && first.all.map(\.key) == [key])
    var effects: [FlowEffect] = []
    for input in takenBack { effects += showing.send(input) }
    #expect(effects.contains(.keepAnswers))
    #expect(showing.session.answers.withdrawn == [key] && showing.session.answers.isEmpty)
    for input in given { showing.send(input) }
    #expect(showing.session.answers == first)
  }

  @Test("of elements with one variable, the one that was changed last takes back") func shared() {
    var showing = Showing(FlowConfig([Element.entry("a", key: "k"), Element.entry("b", key: "k")]))
    showing.send(.text("a", "first"))
    showing.send(.text("b", "second"))
    showing.send(.text("a", ""))
    #expect(showing.session.answers.withdrawn == ["k"])
    showing.send(.text("b", "third"))
    #expect(showing.session.answers.withdrawn == [] && showing.answers == ["k=third"])
  }

  @Test("an answer that was taken back is neither stored nor sent") func stored() async throws {
    let lab = try ClientLab()
    let client = try await lab.client()
    await client.saveResponse(key: "of the program", value: "x")
    var showing = Showing(FlowConfig(Self.elements))
    showing.send(.text("text", "Ada"))
    showing.send(.text("mail", "ada@example.org"))
    await client.saveResponses(showing.session.answers)
    showing.send(.text("text", ""))
    await client.saveResponses(showing.session.answers)
    let expected = ["of the program": "x", "mail": "ada@example.org"]
    #expect(await client.getUserResponses() == expected)
    await client.markCompleted()
    await client.finishSending(atMost: .seconds(600))
    let completion = try #require(lab.server.accepted.first { $0.path == "completion" }?.body)
    #expect(completion["responses"] == ["of the program": "x", "mail": "ada@example.org"])
  }
}
