import Testing

@testable import FCKOnboardingFlow

/// What a user sees at fields that must be filled, and limits of what is drawn.
@Suite struct RequiredMarkTests {
  private func html(_ elements: [FlowElement]) throws -> String {
    let flow = FlowConfig(elements)
    var session = OnboardingSession(flow)
    _ = session.begin()
    return FlowPageWriter(flow.screens[0], words: FlowWords()).html(screen: try #require(session.screen))
  }

  @Test("a required field has one mark, in an attribute that is not read, and `aria-required`")
  func marks() throws {
    for (element, isLabelled) in [
      (Element.entry("a", label: "Name", required: true), true), (Element.entry("b", required: true), false),
      (Element.date("c", required: true), false), (Element.choice("d", required: true) { $0.label = "Pick" }, true),
      (Element.choice("e", required: true), false),
    ] {
      let html = try html([element])
      #expect(html.components(of: "data-required=\"*\"") == 1, "\(html)")
      #expect(html.components(of: "aria-required=\"true\"") == 1, "\(html)")
      // The mark itself is no text of the page.
      #expect(!HTMLMarkup(html).texts.contains { $0.contains("*") }, "\(html)")
      #expect(html.contains("<span class=\"fck-label\" aria-hidden=\"true\"") == !isLabelled, "\(html)")
    }
    #expect(try html([Element.entry("a", label: "Name"), Element.choice("b")]).components(of: "data-required") == 0)
  }

  @Test(
    "a long text is drawn smaller than a short one, never below the usual size",
    arguments: [(1, 500.0), (320, 500), (640, 250), (10_000, 16)])
  func sizes(_ length: Int, _ size: Double) throws {
    var large = FlowText(content: String(repeating: "W", count: length))
    large.fontSize = 500
    let element = FlowElement(id: "t", content: .text(large))
    var session = OnboardingSession(FlowConfig([element]))
    _ = session.begin()
    guard case .text(let text)? = session.node("t")?.content else {
      Issue.record("no text")
      return
    }
    #expect(text.size == size)
  }

  @Test(
    "the number of a field is that of its text in its range, and of 0 without one",
    arguments: [("7", 7.0), ("1,5", 1.5), ("", 1), ("seven", 1), ("250", 100), ("-3", 1)])
  func numbers(_ text: String, _ number: Double) {
    var range = FlowNumberRange()
    (range.minimum, range.maximum) = (1, 100)
    #expect(range.value(of: text, .unknown) == number)
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
