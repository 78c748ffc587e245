import Testing

@testable import FCKOnboardingFlow

/// Real lengths of dimensions (NativeScreens.md, rule 4).
@Suite struct LayoutTests {
  private let layout = FlowLayout(window: FlowSize(width: 800, height: 600))

  @Test(
    "A dimension becomes pixels by its parent and its window",
    arguments: [
      (Dimension.auto, 400.0, RenderLength.natural), (.fill, 400, .fill), (.pixels(12), nil, .pixels(12)),
      (.percent(50), 400, .pixels(200)), (.percent(50), nil, .natural), (.viewportWidth(10), nil, .pixels(80)),
      (.viewportHeight(10), nil, .pixels(60)), (.pixels(-1), nil, .pixels(0)), (.pixels(.nan), nil, .pixels(0)),
      (.pixels(1e300), nil, .pixels(16_384)), (.percent(1e300), 1e300, .pixels(16_384)),
      (.viewportWidth(-.infinity), nil, .pixels(0)),
    ] as [(Dimension, Double?, RenderLength)])
  func lengths(dimension: Dimension, parent: Double?, length: RenderLength) {
    #expect(layout.length(dimension, parent: parent) == length)
  }

  private func box(_ id: String, _ width: Dimension?, _ height: Dimension?, _ children: [FlowElement] = [])
    -> FlowElement
  {
    var element = Element.stack(id, children)
    element.width = width
    element.height = height
    return element
  }

  @Test("Percentages are those of the parent's inner sides")
  func nested() {
    var outer = box("outer", .percent(50), .viewportHeight(50), [box("half", .percent(50), .percent(50))])
    outer.padding = Spacing(10)
    let open = box("open", nil, nil, [box("part", .percent(50), .percent(50))])
    var filling = box("filling", .fill, .fill, [box("third", .percent(10), .percent(10))])
    filling.margin = Spacing(50)
    var root = Element.stack("root", [outer, open, filling])
    root.padding = Spacing(top: 0, right: 100, bottom: 0, left: 100)
    let sizes = layout.sizes(of: RenderTree.screen(FlowScreen(id: "s", kind: .question, root: root)))
    #expect(sizes["root"] == RenderSize(width: .fill, height: .fill))
    #expect(sizes["outer"] == RenderSize(width: .pixels(300), height: .pixels(300)))
    #expect(sizes["half"] == RenderSize(width: .pixels(140), height: .pixels(140)))
    #expect(sizes["open"] == RenderSize(width: .natural, height: .natural))
    #expect(sizes["part"] == RenderSize(width: .pixels(300), height: .natural), "its height depends on its content")
    #expect(sizes["third"] == RenderSize(width: .pixels(50), height: .pixels(50)))
  }
}
