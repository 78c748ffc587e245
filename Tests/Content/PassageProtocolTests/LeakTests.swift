import TesseraJSON
import Testing

@testable import PassageProtocol

/// What pages, servers and the UI page try in order to get out what the user did not agree to.
@Suite struct LeakTests {
  private static let elsewhere = "https://bank.example/account?secret"
  private static let picture = "data:image/jpeg;base64,AA"

  private static func navigate(_ url: String) -> JSONValue {
    ["id": "n", "type": "navigate", "args": ["url": .string(url)]]
  }

  private static func script(_ type: String = "click") -> JSONValue {
    ["id": "c", "type": .string(type), "injectScript": "1"]
  }

  // MARK: - Navigations

  @Test("The address to which a redirect led stays here unless the user agreed to it", arguments: [true, false])
  func redirect(isConsented: Bool) throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.navigate("https://shop.example/out"))
    showing.handle(.navigation(.automation, .started("https://shop.example/out")))
    let target = isConsented ? "https://www.shop.example/in" : Self.elsewhere
    for event: NavigationInput in [.redirected(target), .committed(target), .finished(target)] {
      showing.handle(.navigation(.automation, event))
    }
    #expect(showing.collections.last?.includesPage == isConsented)
    showing.collect { $0.url = target }
    let result = try #require(showing.results.last)
    #expect(result["status"] == "success")
    #expect(result["data"] == (isConsented ? ["url": .string(target)] : [:]))
    #expect(showing.requests.allSatisfy { !String(decoding: $0.body ?? [], as: UTF8.self).contains("bank") })
  }

  @Test(
    "The reason of a failure is told for hosts that the user agreed to",
    arguments: [
      ("https://shop.example/x", "Connection refused."), (elsewhere, "The page could not be loaded."),
      ("", "The page could not be loaded."),
    ])
  func failure(address: String, error: String) throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.navigate("https://shop.example/x"))
    showing.handle(.navigation(.automation, .failed(address, reason: "Connection refused.")))
    #expect(showing.results.last?["error"] == .string(error))
    #expect(showing.results.last?["data"] == ["url": "https://shop.example/x"])
  }

  // MARK: - Scripts

  @Test(
    "What a script brings from a page of another domain stays here, also when the page is gone again",
    arguments: [false, true], [ScriptOutcome.value("secret"), .error("Error: secret")])
  func script(isBack: Bool, outcome: ScriptOutcome) throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.script())
    showing.checkPage(true)
    #expect(showing.runs.count == 1)
    showing.load(Self.elsewhere)
    if isBack { showing.load("https://shop.example/login") }
    showing.handle(.scriptFinished(run: showing.runs[0].run, outcome))
    #expect(showing.results.map { $0["data"] } == [["errorType": "domain_not_consented"]])
    #expect(showing.results.allSatisfy { !$0.text.contains("secret") })
  }

  @Test("A page of a domain that the user agreed to may follow") func scriptAcrossPages() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.script())
    showing.checkPage(true)
    showing.load("https://www.shop.example/next")
    showing.handle(.scriptFinished(run: showing.runs[0].run, .value(5)))
    showing.collect()
    #expect(showing.results.map { $0["data"] } == [5])
  }

  // MARK: - Pictures

  @Test("A picture is dropped if a page of another domain came meanwhile", arguments: [false, true])
  func picture(strays: Bool) throws {
    var showing = try Showing()
    showing.run(#"{"captureScreenshot":true}"#)
    showing.command(["id": "d", "type": "done"])
    #expect(showing.collections.last?.screenshot == .automation)
    if strays {
      showing.load(Self.elsewhere)
      showing.load("https://shop.example/login")
    }
    // The one of the interval, which runs since the first page, and that of the result.
    showing.handle(.screenshot(Self.picture))
    showing.collect { $0.screenshot = Self.picture }
    #expect((showing.results.last?["pageData"]?["screenshot"] == nil) == strays)
    #expect(showing.browserStates.contains { $0["screenshot"] != nil } == !strays)
    #expect((showing.session.screenshot == nil) == strays)
  }

  /// What comes before the others in the window, and what makes it go.
  private static let covers: [([PassageInput], [PassageInput])] = [
    ([.popup(.automation, address: "")], [.popupClosed]),
    (
      [
        .message(
          .ui, origin: "https://ui.example", isFromTopFrame: true,
          text: #"{"type":"showBottomSheetWebsite","url":"https://bank.example/"}"#)
      ], [.websiteClosed]
    ),
    (
      [.navigation(.ui, .committed("https://bank.example/"))],
      [.navigation(.ui, .committed("https://ui.example/connect"))]
    ),
  ]

  @Test("A picture of the window shows no popup, sheet or other page of another site", arguments: covers.indices)
  func windowPicture(index: Int) throws {
    let (cover, uncover) = Self.covers[index]
    var showing = try Showing()
    showing.run(#"{"record":true}"#)
    func pictures() -> Int {
      showing.take().count { if case .takeScreenshot(.modal, _) = $0 { true } else { false } }
    }
    showing.handle(.screenshot(Self.picture))
    #expect(showing.session.screenshot != nil)
    showing.fire(.screenshot)
    #expect(pictures() == 1)
    for input in cover { showing.handle(input) }
    let states = showing.browserStates.count
    // It was on the way when the other page came.
    showing.handle(.screenshot(Self.picture))
    #expect(showing.browserStates.count == states)
    showing.fire(.screenshot)
    showing.command(["id": "d", "type": "done"])
    #expect(pictures() == 0 && showing.collections.last?.screenshot == nil)
    showing.collect { $0.screenshot = Self.picture }
    #expect(showing.results.last?["pageData"]?["html"] == "<p>")
    #expect(showing.results.last?["pageData"]?["screenshot"] == nil)
    for input in uncover { showing.handle(input) }
    showing.fire(.screenshot)
    #expect(pictures() == 1)
    // It comes and goes while the picture is taken.
    for input in cover + uncover { showing.handle(input) }
    showing.handle(.screenshot(Self.picture))
    #expect(showing.browserStates.count == states)
    showing.fire(.screenshot)
    showing.handle(.screenshot(Self.picture))
    #expect(showing.browserStates.count == states + 1)
  }

  @Test("A popup over the automation view is in no picture of the view") func viewPicture() throws {
    var showing = try Showing()
    showing.run(#"{"captureScreenshot":true}"#)
    showing.handle(.screenshot(Self.picture))
    showing.handle(.popup(.automation, address: ""))
    _ = showing.take()
    showing.fire(.screenshot)
    #expect(showing.take().contains(.takeScreenshot(.automation, ImageOptimization())))
  }

  // MARK: - Origins

  @Test(
    "The UI page is that of the configured origin, however it is written",
    arguments: [
      ("https://ui.example", true), ("https://UI.example:443", true), ("https://ui.example.", false),
      ("https://ui.example:444", false), ("https://ui.example:80", false), ("https://ui.example@evil.example", false),
      ("https://evil.example\\@ui.example", false), ("https://uı.example", false), ("https://ui.example%2eevil", false),
      ("https://.ui.example", false), ("https://a.ui.example", false), ("blob:https://ui.example/x", false),
      (" https://ui.example", false), ("https://ui.example\u{0}", false), ("file://ui.example", false),
    ])
  func origin(text: String, isOwn: Bool) throws {
    var showing = try Showing()
    showing.run()
    showing.say(#"{"type":"setTitle","title":"x"}"#, origin: text)
    #expect(showing.take().contains(.setTitle("x")) == isOwn)
  }

  // MARK: - Memory

  @Test("Results of a server that answers nothing are errors when too many bytes wait") func bytes() throws {
    var showing = try Showing()
    showing.run()
    for number in 0..<9 {
      showing.command(["id": .string("\(number)"), "type": "done"])
      showing.collect { $0.html = String(repeating: "x", count: 8 << 20) }
    }
    let results = showing.all.compactMap { if case .send(_, let request) = $0 { request.body?.count } else { nil } }
      .suffix(9)
    #expect(results.filter { $0 > 8 << 20 }.count == 8 && results.filter { $0 < 200 }.count == 1)
    #expect(showing.session.pending.values.reduce(0) { $0 + ($1.request.body?.count ?? 0) } < 72 << 20)
    for number in showing.session.pending.keys {
      showing.handle(.response(request: number, .received(status: 200, body: [])))
    }
    showing.command(["id": "after", "type": "done"])
    showing.collect()
    let last = try #require(showing.requests.last?.body)
    #expect(String(decoding: last, as: UTF8.self).contains(#""html":"<p>""#))
  }

  @Test("A list of very many domains is read to its limit") func manyDomains() {
    let domains = CookieDomains(Array(repeating: "a.example", count: 200_000))
    #expect(domains.entries == ["a.example"] && domains.refusedCount == 199_000)
  }
}
