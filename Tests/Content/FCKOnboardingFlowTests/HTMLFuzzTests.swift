import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingFlow

/// Flows that nobody wrote: the sample with values of other types, sizes and texts in it.
@Suite struct HTMLFuzzTests {
  private static let pool: [JSONValue] = [
    .null, true, "", "fill", "-1px", "1e309", "NaN", "1e300", "#12345678", "<script>", "auto", .integer(.max),
    .integer(.min), -1, 0,
    .array([]), .object([:]), "text", "stack", "button", "single", "datetime", "https://x.example/", "\u{0}\u{202E}",
    ["value": -1, "unit": "vw"], ["type": "text", "content": "</p>"], [["type": "back", "delay": 1_000_000_000]], "ok",
    "start",
  ]

  /// The value with some of its parts replaced.
  private func changed(_ value: JSONValue, _ generator: inout SeededGenerator) -> JSONValue {
    if Int.random(in: 0..<150, using: &generator) == 0 {
      return Self.pool.randomElement(using: &generator) ?? .null
    }
    switch value {
    case .array(let elements): return .array(elements.map { changed($0, &generator) })
    case .object(let members):
      var result = JSONObject()
      for member in members.members { result[member.name] = changed(member.value, &generator) }
      return .object(result)
    default: return value
    }
  }

  /// What a user could do with each element, and more.
  private func inputs(_ id: String) -> [FlowInput] {
    [
      .text(id, "<b>9"), .commit(id), .step(id, by: .min), .toggle(id, isOn: true), .date(id, nil),
      .option(id, option: "g1", isSelected: true), .tap(id),
    ]
  }

  @Test("400 changed flows are shown, answered and left without a fault", arguments: [UInt64(1), 2])
  func flows(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sample = try FlowConfig.json(FlowConfig.sampleBytes("fck-flow-all-elements"))
    var shown = 0
    var finished = 0
    for _ in 0..<200 {
      var problems: [FlowProblem] = []
      guard let flow = try? FlowConfig(changed(sample, &generator), problems: &problems) else { continue }
      shown += 1
      var page = FlowPage(flow)
      _ = page.begin()
      // Each screen once, by whatever way leads there.
      for _ in 0..<3 where !page.session.isFinished {
        let screen = try #require(page.session.screen)
        #expect(
          HTMLMarkup(FlowPageWriter(flow.screens[page.session.screenIndex], words: FlowWords()).html(screen: screen))
            .texts
            == RenderDump.texts(screen).filter { $0.contains { $0 != "\n" } }.map(Self.written))
        for id in ids(screen) {
          for input in inputs(id).shuffled(using: &generator).prefix(2) {
            for timer in page.received(input).effects.timers { _ = page.received(.timer(timer)) }
          }
        }
      }
      _ = page.received(.skip)
      if page.session.isFinished { finished += 1 }
      #expect(
        FlowLayout(window: FlowSize(width: 400, height: 600)).sizes(of: try #require(page.session.screen)).count > 0)
    }
    #expect(shown > 100 && finished == shown)
  }

  private func ids(_ node: RenderNode) -> [String] { [node.id] + node.children.flatMap(ids) }

  /// A text as HTML keeps it.
  private static func written(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\u{0}" ? "\u{FFFD}" : $0 }))
  }
}
