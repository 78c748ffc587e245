import FCKOnboardingFlow
import TesseraJSON
import TestSupport
import Testing

/// The values of a document (NativeScreens.md, rule 4).
@Suite("Sizes, spacings and colours of the document") struct ValueTests {
  @Test(
    "sizes",
    arguments: [
      (#""fill""#, Dimension.fill), (#""auto""#, .auto), (#""12px""#, .pixels(12)), (#""2rem""#, .pixels(32)),
      (#""1.5em""#, .pixels(24)), (#""50%""#, .percent(50)), (#""10vw""#, .viewportWidth(10)),
      (#""10vh""#, .viewportHeight(10)), (#""12""#, .pixels(12)), (#"" 12 px ""#, .pixels(12)), ("7", .pixels(7)),
      ("7.25", .pixels(7.25)), (#"{"value": 160, "unit": "px"}"#, .pixels(160)),
      (#"{"value": 2, "unit": "rem"}"#, .pixels(32)), (#"{"value": 2, "unit": "em"}"#, .pixels(32)),
      (#"{"value": 5, "unit": "%"}"#, .percent(5)), (#"{"value": 5, "unit": "vw"}"#, .viewportWidth(5)),
      (#"{"value": 5, "unit": "vh"}"#, .viewportHeight(5)), (#"{"value": 5, "unit": "furlong"}"#, .pixels(5)),
      (#"{"value": 5}"#, .pixels(5)), (#"{"value": "5", "unit": "vh"}"#, .viewportHeight(5)),
      // Of no window.
      ("-4", .pixels(0)), (#""-4px""#, .pixels(0)), ("1e300", .pixels(10_000)), (#""99999%""#, .percent(1_000)),
      (#"{"value": 1e200, "unit": "rem"}"#, .pixels(10_000)),
    ])
  func sizes(text: String, dimension: Dimension) throws {
    #expect(Dimension(json: try JSONValue(text: text)) == dimension)
    #expect(Dimension(json: dimension.json) == dimension)
  }

  @Test(
    "what is no size is as large as its content",
    arguments: [
      "true", "[]", "{}", #"{"unit": "px"}"#, #"{"value": null}"#, #"{"value": "auto"}"#, #""""#, #""px""#, #""nan""#,
      #""infinity""#, #""0x10""#, #""1e3""#, #""12pt""#, #""calc(1px)""#, #""Fill""#, "1e999", "-1e999",
      #"{"value": 1e999, "unit": "px"}"#, #""--1""#, #""1.2.3px""#, "\"\(String(repeating: "1", count: 400))\"",
    ])
  func noSizes(text: String) throws {
    #expect(Dimension(json: try JSONValue(text: text)) == nil)
    let (element, problems) = try DocumentSamples.element(#"{"type": "stack", "width": \#(text)}"#)
    #expect(element?.width == .auto && element?.height == nil)
    #expect(problems == ["warning .width"])
  }

  @Test(
    "spacings",
    arguments: [
      (#"{"top": 1, "right": 2, "bottom": 3, "left": 4}"#, Spacing(top: 1, right: 2, bottom: 3, left: 4)),
      (#"{"top": 1}"#, Spacing(top: 1, right: 0, bottom: 0, left: 0)), ("{}", .zero), ("12", Spacing(12)),
      (#""12""#, Spacing(12)), (#""auto""#, .zero), (#"{"value": 1, "unit": "rem"}"#, Spacing(16)),
      (
        #"{"top": {"value": 2, "unit": "em"}, "right": "8", "bottom": "auto", "left": "8px"}"#,
        Spacing(top: 32, right: 8, bottom: 0, left: 0)
      ),
      (
        #"{"top": {"value": 5, "unit": "%"}, "right": {"value": 2, "unit": "vw"}, "bottom": {"value": 100, "unit": "vh"}}"#,
        Spacing(top: 0, right: 7.5, bottom: 667, left: 0)
      ),
      (#"{"top": -3, "right": 1e300, "bottom": [], "left": null}"#, Spacing(top: 0, right: 10_000, bottom: 0, left: 0)),
      (#"{"top": 1e999}"#, .zero),
    ])
  func spacings(text: String, spacing: Spacing) throws {
    #expect(Spacing(json: try JSONValue(text: text)) == spacing)
    #expect(Spacing(json: spacing.json) == spacing)
  }

  @Test("what is no spacing is left out", arguments: ["true", "[1]", #""8px""#, #""wide""#, "1e999"])
  func noSpacings(text: String) throws {
    #expect(Spacing(json: try JSONValue(text: text)) == nil)
    let (element, problems) = try DocumentSamples.element(#"{"type": "stack", "margin": \#(text)}"#)
    #expect(element?.margin == nil)
    #expect(problems == ["error .margin"])
  }

  @Test(
    "colours",
    arguments: [
      ("#112233", FlowColor(red: 0x11, green: 0x22, blue: 0x33), "#112233"),
      ("112233", FlowColor(red: 0x11, green: 0x22, blue: 0x33), "#112233"),
      ("#aF0", FlowColor(red: 0xAA, green: 0xFF, blue: 0), "#AAFF00"),
      ("f00", FlowColor(red: 0xFF, green: 0, blue: 0), "#FF0000"),
      // Alpha first.
      ("#80FF0000", FlowColor(alpha: 0x80, red: 0xFF, green: 0, blue: 0), "#80FF0000"),
      ("00000000", FlowColor.transparent, "#00000000"),
      ("#FF00007f", FlowColor(red: 0, green: 0, blue: 0x7F), "#00007F"),
    ])
  func colors(text: String, color: FlowColor, hex: String) {
    #expect(FlowColor(hex: text) == color)
    #expect(color.hex == hex && FlowColor(hex: hex) == color)
  }

  @Test(
    "what is no colour is transparent",
    arguments: ["", "#", "#12", "#1234", "#12345", "#1234567", "#123456789", "red", "#ggg", "##123", "#１２３"])
  func noColors(text: String) throws {
    #expect(FlowColor(hex: text) == nil)
    let (element, problems) = try DocumentSamples.element(#"{"type": "text", "content": "x", "color": "\#(text)"}"#)
    guard case .text(let read)? = element?.content else { throw WrongKind() }
    #expect(read.color == .transparent)
    #expect(problems == ["warning .color"])
  }

  @Test("every colour is read as it was written")
  func allColors() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<1_000 {
      let color = FlowColor(
        alpha: .random(in: 0...255, using: &generator), red: .random(in: 0...255, using: &generator),
        green: .random(in: 0...255, using: &generator), blue: .random(in: 0...255, using: &generator))
      #expect(FlowColor(hex: color.hex) == color)
    }
  }

  @Test("every size and spacing within the limits is read as it was written")
  func allSizes() {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<1_000 {
      func number(_ limit: Double) -> Double { .random(in: 0...limit, using: &generator) }
      let sizes: [Dimension] = [
        .pixels(number(10_000)), .percent(number(1_000)), .viewportWidth(number(1_000)), .viewportHeight(number(1_000)),
        .pixels(number(1e-9)),
      ]
      for size in sizes { #expect(Dimension(json: size.json) == size) }
      let spacing = Spacing(top: number(10_000), right: number(1), bottom: number(1e-300), left: number(100))
      #expect(Spacing(json: spacing.json) == spacing)
    }
  }

  private struct WrongKind: Error {}
}
