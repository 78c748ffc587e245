import RampKitFlow
import TesseraBridge

/// Taps and their actions. Argument: an array of actions, of which each is tapped; none for the other parts.
@MainActor
enum PageActions {
  static func run(_ arguments: [String]) async throws {
    guard case .array(let actions) = try JSONValue(text: arguments.first ?? "null") else {
      try await places()
      try await press()
      return
    }
    let page = try await ShownPage(html: "<button id=b>b</button>")
    var seen: [JSONValue] = []
    for action in actions {
      try await tap([action], in: page)
      seen.append(.array(page.messages))
      page.forget()
    }
    observe("messages", .array(seen))
    observe("variables", try await page.value("__rampkitVariables"))
    page.close()
    try await classes()
  }

  private static func tap(_ actions: [JSONValue], in page: ShownPage) async throws {
    let groups: JSONValue = ["values": [["conditionType": "if", "rules": [], "actions": .array(actions)]]]
    try await page.value(
      "document.querySelector('#b').setAttribute('data-tap-dynamic', \(JSONValue.string(groups.text).text)), document.querySelector('#b').click()"
    )
    try await page.settle()
  }

  private static func classes() async throws {
    let page = try await ShownPage(
      html:
        "<div><i id=a class='card on'></i><i id=b class=card></i><i id=c class='card on'></i></div><i id=d class=on></i>"
    )
    func read() async throws -> JSONValue {
      try await page.value("[a, b, c, d].map((one) => one.className)")
    }
    for action: JSONValue in [
      ["type": "addClass", "class": "on big"], ["type": "addClass", "selector": "#d", "class": "new"],
      ["type": "removeClass", "selector": ".card", "class": "big on"], ["type": "toggleClass", "class": "lit"],
      ["type": "toggleClass", "class": "lit"], ["type": "selectOne", "class": "on"],
      ["type": "addClass", "selector": "#a, #d", "class": "on"],
      ["type": "selectOne", "selector": ".card", "class": "on"],
      ["type": "addClass", "selector": "((", "class": "x"],
      ["type": "addClass", "class": ""], ["type": "addClass"],
    ] {
      try await tap([action], in: page)
      observe("classes", try await read())
    }
    page.close()
  }

  /// Where the attribute is, how it is written, and what becomes of the tap.
  private static func places() async throws {
    func attribute(_ name: String) -> String {
      "{&quot;values&quot;:[{&quot;actions&quot;:[{&quot;type&quot;:&quot;haptic&quot;,&quot;hapticType&quot;:&quot;\(name)&quot;}]}]}"
    }
    let levels = { (count: Int, id: String) in
      "<div data-tap-dynamic='\(attribute(id))'>" + String(repeating: "<div>", count: count - 1) + "<i id=\(id)>i</i>"
        + String(repeating: "</div>", count: count)
    }
    let twice = attribute("twice").replacing("&", with: "&amp;")
    let page = try await ShownPage(
      html: """
        <b id=t1 data-tapdynamic='\(attribute("t1"))'>x</b><b id=t2 tapDynamic='\(attribute("t2"))'>x</b>
        <b id=t3 data-dynamic-tap='\(attribute("t3"))'>x</b><b id=t4 data-tap-dynamic='\(twice)'>x</b>
        \(levels(20, "t5"))\(levels(21, "t6"))
        <div data-tap-dynamic='\(attribute("outer"))'><b id=t7 data-tap-dynamic='\(attribute("inner"))'>x</b></div>
        <b id=t8 data-tap-dynamic='{broken'>x</b><b id=t9 data-tap-dynamic='[]'>x</b>
        <b id=t10 data-tap-dynamic='{"values": 5}'>x</b><b id=t11 data-tap-dynamic='{"values": [{"actions": 5}]}'>x</b>
        <b id=t12 data-tap-dynamic='\(String(repeating: "[", count: 10_000))'>x</b>
        <a id=t13 href="#there" data-tap-dynamic='\(attribute("link"))'>x</a><b id=t14>x</b>
        """, js: "window.clicks = []; addEventListener('click', (event) => { clicks.push(event.target.id) });")
    for index in 1...14 {
      try await page.click("#t\(index)")
      try await page.settle()
      observe("place t\(index)", .array(page.messages.map { $0["hapticType"] ?? .null }))
      page.forget()
    }
    observe("seen by the page", try await page.value("clicks"))
    observe("fragment", try await page.value("location.hash"))
    page.close()
  }

  private static func press() async throws {
    let page = try await ShownPage(html: "<b id=b data-tap-dynamic='{}' style='display:block'>x</b>")
    func send(_ event: String) async throws {
      try await page.value("b.dispatchEvent(new PointerEvent('\(event)', {bubbles: true}))")
    }
    try await send("pointerdown")
    observe("pressed", try await page.value("b.hasAttribute('data-rampkit-pressed')"))
    try await page.wait("getComputedStyle(b).opacity === '0.7'")
    try await send("pointerup")
    observe("released", try await page.value("b.hasAttribute('data-rampkit-pressed')"))
    page.close()
  }
}
