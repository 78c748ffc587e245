import TesseraJSON
import Testing

@testable import FCKOnboardingFlow

/// A showing in a page, by the page's messages.
@Suite struct HTMLPageTests {
  private static let flow = FlowConfig(
    [
      Element.entry("name", label: "Name", required: true), Element.number("kids", 0, 3), Element.toggle("news"),
      Element.date("born"), Element.choice("goal"), Element.choice("tags", .options, multiple: true),
      Element.button(
        "ok",
        taps: [TapBehavior(.haptics(.light)), TapBehavior(.bump(scale: 0.9)), TapBehavior(.navigate(screenId: "s1"))]),
    ], [Element.text("end", "The end"), Element.button("done", "Done", .complete)])

  /// A page that began.
  private static func begun() -> FlowPage {
    var page = FlowPage(flow)
    let output = page.begin()
    #expect(output.update == nil)
    let names = output.effects.compactMap { effect -> ShowingEvent.Name? in
      if case .event(let event) = effect { event.name } else { nil }
    }
    #expect(names == [.flowViewed, .screenViewed])
    return page
  }

  private static func message(_ id: String, _ kind: String, _ value: JSONValue? = nil) -> String {
    var members: JSONObject = ["type": "fck.event", "elementId": .string(id), "kind": .string(kind)]
    members["value"] = value
    return JSONValue.object(members).text
  }

  /// The operations of an update.
  private static func operations(_ output: FlowPage.Output) throws -> [JSONValue] {
    guard let update = output.update else { return [] }
    guard case .array(let operations) = try JSONValue(text: update) else {
      Issue.record("\(update)")
      return []
    }
    return operations
  }

  private static func kinds(_ output: FlowPage.Output) throws -> [String] {
    try operations(output).compactMap { $0["kind"]?.stringValue }
  }

  @Test("Messages of every control become answers")
  func answers() {
    var page = Self.begun()
    let messages = [
      Self.message("name", "change", "Ada"), Self.message("kids", "change", ["step": 1]),
      Self.message("kids", "change", ["step": 1_000]), Self.message("news", "change", true),
      Self.message("born", "change", "1990-05-01"),
      Self.message("goal", "change", ["option": "b", "isSelected": true]),
      Self.message("tags", "change", ["option": "c", "isSelected": true]),
      Self.message("tags", "change", ["option": "a", "isSelected": true]),
    ]
    for message in messages { #expect(page.received(message).effects.contains(.keepAnswers)) }
    #expect(
      page.session.answers.all.map { "\($0.key)=\($0.value)" } == [
        "name=Ada", "kids=2", "news=true", "born=1990-05-01T00:00:00Z", "goal=bee", "tags=A, C",
      ])
  }

  @Test(
    "A message that is malformed, or that names nothing on the screen, is ignored",
    arguments: [
      "", "null", "[]", "{}", "tap", #"{"type":"fck.event"}"#, #"{"type":"fck.event","elementId":"ok"}"#,
      #"{"type":"fck.event","elementId":"ok","kind":"open"}"#, #"{"type":"other","elementId":"ok","kind":"tap"}"#,
      #"{"type":"fck.event","elementId":1,"kind":"tap"}"#, #"{"type":"fck.event","elementId":"done","kind":"tap"}"#,
      #"{"type":"fck.event","elementId":"name","kind":"change"}"#,
      #"{"type":"fck.event","elementId":"name","kind":"change","value":true}"#,
      #"{"type":"fck.event","elementId":"name","kind":"change","value":{"step":1}}"#,
      #"{"type":"fck.event","elementId":"kids","kind":"change","value":{"step":1.5}}"#,
      #"{"type":"fck.event","elementId":"news","kind":"change","value":"true"}"#,
      #"{"type":"fck.event","elementId":"goal","kind":"change","value":{"option":"b"}}"#,
      #"{"type":"fck.event","elementId":"goal","kind":"change","value":{"option":"zz","isSelected":true}}"#,
      #"{"type":"fck.event","elementId":"born","kind":"change","value":{"isUnreadable":false}}"#,
      #"{"type":"fck.event","elementId":"ok","kind":"change","value":"x"}"#,
      #"{"type":"fck.event","elementId":"root","kind":"tap"}"#,
      String(repeating: "[", count: 100_000),
      #"{"type":"fck.event","elementId":""# + String(repeating: "a", count: 200_000),
    ])
  func ignored(message: String) {
    var page = Self.begun()
    let before = page.session.answers
    #expect(page.received(message) == FlowPage.Output())
    #expect(page.session.answers == before)
  }

  @Test("A message that is too long is ignored, the longest text of a field is not")
  func lengths() {
    var page = Self.begun()
    // Each character is 12 bytes of JSON.
    let escaped = String(repeating: "\\ud83d\\ude00", count: 10_000)
    let begin = #"{"type":"fck.event","elementId":"name","kind":"change","value":""#
    #expect(page.received(begin + escaped + "\"}").effects == [.keepAnswers])
    #expect(page.session.answers["name"]?.count == 10_000)
    #expect(page.received(begin + String(repeating: "a", count: 128 << 10) + "\"}") == FlowPage.Output())
  }

  @Test("The field in which the user types is drawn only for its mark, and keeps its text")
  func typing() throws {
    var page = Self.begun()
    #expect(page.received(Self.message("name", "change", "A")).update == nil)
    _ = page.received(Self.message("name", "change", ""))
    let blocked = try Self.operations(page.received(Self.message("ok", "tap")))
    #expect(blocked.compactMap { $0["kind"]?.stringValue } == ["press", "redraw", "focus"])
    #expect(blocked[1]["isTyping"] == false)
    let cleared = try Self.operations(page.received(Self.message("name", "change", "A")))
    #expect(cleared.count == 1 && cleared[0]["isTyping"] == true)
    #expect(cleared[0]["html"]?.stringValue?.contains("aria-invalid") == false)
    // A user who leaves the field sees what is kept.
    let left = try Self.operations(page.received(Self.message("kids", "change", ["text": "03.0"])))
    #expect(left.map { $0["isTyping"] } == [false])
    #expect(left[0]["html"]?.stringValue?.contains(#"value="3""#) == true)
  }

  @Test("A press is shown on the screen where it was, and another screen follows")
  func navigation() throws {
    var page = Self.begun()
    _ = page.received(Self.message("name", "change", "Ada"))
    let output = page.received(Self.message("ok", "tap"))
    let operations = try Self.operations(output)
    #expect(operations.compactMap { $0["kind"]?.stringValue } == ["press", "show"])
    let markup = HTMLMarkup(FlowPage(Self.flow).html)
    #expect(operations[0]["id"]?.stringValue == markup.tag("data-id", "ok")?.attributes["id"])
    #expect(operations[1]["direction"] == "forward")
    #expect(operations[1]["html"]?.stringValue?.contains("The end") == true)
    #expect(output.effects.first == .playHaptics(.light))
    #expect(page.html.contains("The end"), "a page that is loaded again shows the same screen")
    #expect(page.received(Self.message("ok", "tap")) == FlowPage.Output(), "it is not there any more")
    let back = page.received(.back)
    #expect(try Self.kinds(back) == ["show"])
    #expect(try Self.operations(back).first?["html"]?.stringValue?.contains(#"value="Ada""#) == true)
    _ = page.received(Self.message("ok", "tap"))
    let end = page.received(Self.message("done", "tap"))
    #expect(end.update == nil && end.effects.count == 2 && page.session.isFinished)
  }

  @Test("2,000 fields that one press marks are drawn again")
  func manyMarks() throws {
    let fields = (0..<1_998).map { Element.entry("e\($0)", required: true) }
    var page = FlowPage(FlowConfig(fields + [Element.button("go", "", .next)]))
    _ = page.begin()
    guard case .array(let operations) = try JSONValue(text: page.received(.tap("go")).update ?? "") else {
      Issue.record("no operations")
      return
    }
    #expect(operations.count == 1_999 && operations.last?["kind"] == "focus")
    #expect(operations.dropLast().allSatisfy { $0["kind"] == "redraw" })
  }

  @Test("A choice draws its options again")
  func choice() throws {
    var page = Self.begun()
    let output = page.received(Self.message("goal", "change", ["option": "b", "isSelected": true]))
    let html = try #require(Self.operations(output).first?["html"]?.stringValue)
    let options = HTMLMarkup(html).tags.filter { $0.attributes["data-option"] != nil }
    #expect(options.map { $0.attributes["checked"] != nil } == [false, true, false])
  }

  // MARK: - The document

  @Test("The document runs our script only, and loads pictures by https only")
  func policy() throws {
    let first = FlowPage(Self.flow).html
    let markup = HTMLMarkup(String(first.prefix { $0 != "\u{1}" }.split(separator: "<style")[0]))
    let policy = try #require(markup.tag("http-equiv", "Content-Security-Policy")?.attributes["content"])
    let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([0-9a-f]{32})';/)?.1)
    #expect(policy.hasPrefix("default-src 'none'; ") && policy.contains("img-src https:;"))
    #expect(!policy.contains("script-src 'unsafe-inline'") && !policy.contains("unsafe-eval"))
    #expect(first.contains("<script nonce=\"\(nonce)\">") && first.contains("<style nonce=\"\(nonce)\">"))
    #expect(first.components(of: "<script") == 1 && first.components(of: "</script") == 1)
    #expect(first.components(of: "<style") == 1 && first.components(of: "</style") == 1)
    #expect(!FlowPage(Self.flow).html.contains(nonce), "each document has another one")
  }

  @Test("A script in the content is text in the document")
  func script() {
    let html = FlowPage(FlowConfig([Element.text("t", "<script>alert(1)</script>")])).html
    #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    #expect(html.components(of: "<script") == 1)
  }

  @Test("An update is one argument of one call, whatever is in it")
  func scriptText() throws {
    var page = FlowPage(
      FlowConfig([
        Element.entry("a", label: "</script>\u{2028}'\"\\`${x}", required: true), Element.button("b", "", .next),
      ]))
    _ = page.begin()
    let script = try #require(page.received(Self.message("b", "tap")).script)
    #expect(script.hasPrefix("window.fckApply(\"") && script.hasSuffix("\")"))
    #expect(!script.contains("<") && !script.unicodeScalars.contains("\u{2028}"))
    let argument = String(script.dropFirst("window.fckApply(".count).dropLast())
    let update = try #require(try JSONValue(text: argument).stringValue)
    guard case .array(let operations) = try JSONValue(text: update) else {
      Issue.record("\(update)")
      return
    }
    #expect(operations.count == 2)
  }

  @Test("A flow without screens has an empty page")
  func empty() {
    var page = FlowPage(FlowConfig(version: 1, screens: []))
    #expect(page.begin().effects.count == 2)
    #expect(page.html.contains(#"<main id="fck" tabindex="-1"></main>"#))
  }

  @Test("1,000 random messages leave a page that is drawn")
  func random() throws {
    var generator = Generator(state: 17)
    var page = Self.begun()
    let ids = ["name", "kids", "news", "born", "goal", "tags", "ok", "done", "root", "", "nobody"]
    let values: [JSONValue?] = [
      nil, .null, true, "x", "1990-05-01", ["step": -9], ["text": "7"], ["option": "a", "isSelected": false], [1], 1,
      ["option": "b", "isSelected": true],
    ]
    for _ in 0..<1_000 where !page.session.isFinished {
      let id = ids.randomElement(using: &generator) ?? ""
      let value = values.randomElement(using: &generator) ?? nil
      let output = page.received(Self.message(id, Bool.random(using: &generator) ? "tap" : "change", value))
      if let update = output.update { _ = try JSONValue(text: update) }
      for timer in output.effects.timers { _ = page.received(.timer(timer)) }
      if Int.random(in: 0..<10, using: &generator) == 0 { _ = page.received(.back) }
      #expect(page.html.contains("data-id=\"root\""))
    }
    #expect(page.session.screen != nil)
  }
}

private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

extension String {
  /// How often a text stands in this one.
  fileprivate func components(of text: String) -> Int {
    var count = 0
    var rest = self[...]
    while let range = rest.firstRange(of: text) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
