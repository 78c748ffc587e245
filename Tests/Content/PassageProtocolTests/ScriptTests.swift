import TesseraJSON
import Testing

@testable import PassageProtocol

/// Scripts, their results and the page data (Passage.md, rules 7 and 12).
@Suite struct ScriptTests {
  private static let waiting = "(async () => { window.passage.postMessage('x') })()"

  private static func command(_ id: String, _ type: String, _ script: String = "1") -> JSONValue {
    ["id": .string(id), "type": .string(type), "injectScript": .string(script)]
  }

  @Test(
    "The samples have the results of the samples",
    arguments: [
      ("click", "click", ScriptOutcome.value(["clicked": true])), ("input", "input", .value("a@example.org")),
      ("injectscript", "injectscript", .value("Account")), ("wait", "wait", .nothing),
      ("injectscript-missing", "script-missing", .nothing), ("unsupported", "unsupported", .nothing),
      ("done-failure", "done-failure", .nothing), ("done-success", "done", .nothing),
    ])
  func samples(command: String, result: String, outcome: ScriptOutcome) throws {
    var showing = try Showing()
    showing.run()
    showing.command(try Samples.json("passage-command-\(command)"))
    if !["injectscript-missing", "unsupported", "done-failure", "done-success"].contains(command) {
      showing.finishScript(outcome)
    }
    if command == "wait" {
      showing.say(
        #"{"type":"message","data":"{\"commandId\":\"c-4\",\"type\":\"wait\",\"value\":true}"}"#, from: .automation)
    }
    let expected = try Samples.json("passage-result-\(result)")
    if expected["pageData"] != nil {
      showing.collect { data in
        var cookie = PassageCookie(name: "sid", value: "x1", domain: ".shop.example")
        cookie.path = "/"
        data.cookies = [cookie, PassageCookie(name: "other", value: "y", domain: "other.example")]
      }
    }
    try #require(showing.results.count == 1)
    let actual = showing.results[0]
    for name in ["id", "status", "data", "error"] { #expect(actual[name] == expected[name], "\(name)") }
    #expect((actual["pageData"] == nil) == (expected["pageData"] == nil))
    if let page = actual["pageData"] {
      #expect(page["url"] == "https://shop.example/login" && page["html"] == "<p>")
      #expect(page["cookies"] == [["name": "sid", "value": "x1", "domain": ".shop.example", "path": "/"]])
      #expect(page["localStorage"] == [] && page["sessionStorage"] == [])
    }
  }

  @Test("A script that throws is an error without page data") func throwing() throws {
    var showing = try Showing()
    showing.run()
    for type in ["click", "wait"] {
      showing.command(Self.command(type, type, Self.waiting))
      showing.finishScript(.error("ReferenceError: x"))
    }
    #expect(showing.results.map { $0["error"] } == ["ReferenceError: x", "ReferenceError: x"])
    #expect(showing.results.allSatisfy { $0["pageData"] == nil } && showing.collections.isEmpty)
  }

  @Test("A script without a value succeeds without data") func noValue() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.command("c", "click"))
    showing.finishScript(.nothing)
    showing.collect()
    #expect(
      showing.results.count == 1 && showing.results[0]["status"] == "success" && showing.results[0]["data"] == nil)
  }

  @Test("A promise is awaited by the view; a script with messages by the message") func modes() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.command("a", "injectScript", "(async () => 1)()"))
    showing.checkPage(true)
    showing.command(Self.command("b", "injectScript", Self.waiting))
    showing.checkPage(true)
    #expect(showing.runs.map(\.mode) == [.value, .message])
    showing.handle(.scriptFinished(run: showing.runs[1].run, .value(5)))
    #expect(showing.collections.isEmpty, "the end of that script says nothing")
    showing.say(#"{"data":{"commandId":"b","type":"injectScript","error":"boom"}}"#, from: .automation)
    #expect(showing.results.count == 1 && showing.results[0]["error"] == "boom")
  }

  @Test("Only the top frame of a page that the user agreed to answers, and only for scripts that send messages")
  func forged() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.command("a", "wait", Self.waiting))
    showing.checkPage(true)
    showing.command(Self.command("b", "click"))
    showing.checkPage(true)
    let forA = #"{"data":{"commandId":"a","type":"wait","value":1}}"#
    showing.say(forA, from: .automation, origin: "https://evil.example")
    showing.say(forA, from: .automation, origin: "null")
    showing.say(forA, from: .automation, isFromTopFrame: false)
    showing.say(forA, from: .ui)
    showing.say(#"{"data":{"commandId":"b","type":"injectScript","value":1}}"#, from: .automation)
    showing.say(#"{"data":{"commandId":"zz","type":"wait","value":1}}"#, from: .automation)
    #expect(showing.collections.isEmpty && showing.results.isEmpty)
    showing.say(forA, from: .automation)
    #expect(showing.collections.count == 1)
  }

  @Test(
    "Limits are 60 seconds for wait, and 30 for others", arguments: [("wait", 60), ("click", 30), ("injectScript", 30)])
  func limits(type: String, seconds: Int) throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.command("c", type))
    guard
      case .startTimer(let timer, let duration)? = showing.take().first(where: {
        if case .startTimer(.commandLimit, _) = $0 { true } else { false }
      })
    else {
      Issue.record("no limit")
      return
    }
    #expect(duration == .seconds(seconds))
    showing.checkPage(true)
    showing.fire(timer)
    #expect(showing.results.count == 1 && showing.results[0]["error"] == "The script had no result in time.")
    showing.handle(.scriptFinished(run: showing.runs[0].run, .value(1)))
    #expect(showing.results.count == 1 && showing.collections.isEmpty)
  }

  // MARK: - Is the page ready?

  private static func readyTimer(_ showing: Showing) -> PassageTimer? {
    showing.session.timers.first { if case .readyCheck = $0 { true } else { false } }
  }

  @Test("A script waits for a page at most ten checks of 500 ms") func noPage() throws {
    var showing = try Showing()
    showing.openUntilAsked()
    showing.handle(.consent(isGiven: true))
    showing.command(Self.command("c", "click"))
    #expect(showing.all.contains { if case .startTimer(.readyCheck, .milliseconds(500)) = $0 { true } else { false } })
    var checks = 1
    while let timer = Self.readyTimer(showing), checks < 50 {
      checks += 1
      showing.fire(timer)
    }
    #expect(checks == 10 && showing.results.map { $0["error"] } == ["No page is loaded."])
  }

  @Test("A script waits until the page is loaded") func loadingPage() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.navigation(.automation, .started("https://shop.example/a")))
    showing.command(Self.command("c", "click"))
    for _ in 0..<3 { if let timer = Self.readyTimer(showing) { showing.fire(timer) } }
    #expect(!showing.all.contains { if case .checkPage = $0 { true } else { false } })
    showing.handle(.navigation(.automation, .committed("https://shop.example/a")))
    showing.handle(.navigation(.automation, .finished("https://shop.example/a")))
    if let timer = Self.readyTimer(showing) { showing.fire(timer) }
    showing.finishScript(.value(1))
    showing.collect { $0.url = "https://shop.example/a" }
    #expect(showing.results.count == 1 && showing.results[0]["data"] == 1)
  }

  @Test("A page that never ends loading is an error") func endlessPage() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.navigation(.automation, .started("https://shop.example/a")))
    showing.command(Self.command("c", "click"))
    var checks = 1
    while let timer = Self.readyTimer(showing), checks < 50 {
      checks += 1
      showing.fire(timer)
    }
    #expect(checks == 10 && showing.results.map { $0["error"] } == ["The page is still loading."])
  }

  @Test("The page object is asked for ten times") func noPageObject() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.command("c", "click"))
    var checks = 0
    while showing.results.isEmpty, checks < 50 {
      checks += 1
      showing.checkPage(false)
      if let timer = Self.readyTimer(showing) { showing.fire(timer) }
    }
    #expect(checks == 10 && showing.results.map { $0["error"] } == ["The page takes no scripts."])
    #expect(showing.runs.isEmpty)
  }

  @Test("No script runs in a page of another domain") func otherDomain() throws {
    var showing = try Showing()
    showing.run()
    showing.load("https://idp.example/")
    showing.command(Self.command("c", "click"))
    showing.checkPage(true)
    #expect(showing.runs.isEmpty && showing.results.map { $0["data"] } == [["errorType": "domain_not_consented"]])
  }

  @Test("A script that is too long is refused") func tooLong() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.command("c", "click", String(repeating: " ", count: (1 << 20) + 1)))
    #expect(showing.results.map { $0["error"] } == ["The script is too long."])
  }

  // MARK: - Page data

  @Test("After five seconds the lists are empty") func pageDataLimit() throws {
    var showing = try Showing()
    showing.run()
    showing.command(try Samples.json("passage-command-input"))
    showing.finishScript(.value("a@example.org"))
    let timer = PassageTimer.pageData(collection: showing.collections[0].collection)
    #expect(showing.take().contains(.startTimer(timer, .seconds(5))))
    showing.fire(timer)
    #expect(showing.results == [try Samples.json("passage-result-input")])
    showing.collect()
    #expect(showing.results.count == 1)
  }

  @Test("Cookies are those of the command, else of the configuration, else of the page's host") func cookieDomains()
    throws
  {
    var showing = try Showing()
    showing.run()
    showing.command(["id": "a", "type": "click", "injectScript": "1", "cookieDomains": ["www.shop.example"]])
    showing.finishScript(.nothing)
    showing.command(Self.command("b", "click"))
    showing.finishScript(.nothing)
    #expect(showing.collections.map(\.cookies.entries) == [["www.shop.example"], [".shop.example"]])
    var other = try Showing()
    other.run("{}", ["integration": ["url": "https://www.shop.example/"]], page: "https://www.shop.example/")
    other.command(Self.command("c", "click"))
    other.finishScript(.nothing)
    #expect(other.collections.map(\.cookies.entries) == [["www.shop.example", ".www.shop.example", "shop.example"]])
  }

  @Test(
    "Cookies of other domains than those the user agreed to are refused",
    arguments: [
      ["other.example"], [".example"], ["shop.example", "other.example"], ["org"], [""],
    ])
  func refusedCookies(domains: [String]) throws {
    var showing = try Showing()
    showing.run()
    showing.command([
      "id": "c", "type": "click", "injectScript": "1", "cookieDomains": .array(domains.map(JSONValue.string)),
    ])
    #expect(showing.results.map { $0["data"] } == [["errorType": "domain_not_consented"]])
    #expect(!showing.all.contains { if case .checkPage = $0 { true } else { false } })
  }

  @Test(
    "Screenshots are collected if a flag is on, and the sizes are the configuration's",
    arguments: [
      ("{}", nil), (#"{"captureScreenshot":true}"#, .automation),
      (#"{"record":true,"captureScreenshot":true}"#, .modal),
    ] as [(String, ScreenshotKind?)])
  func screenshots(claims: String, kind: ScreenshotKind?) throws {
    var showing = try Showing()
    showing.run(claims)
    showing.command(Self.command("c", "click"))
    showing.finishScript(.value(1))
    #expect(showing.collections.map(\.screenshot) == [kind])
    showing.collect { $0.screenshot = "data:image/jpeg;base64,AA" }
    try #require(showing.results.count == 1)
    #expect(showing.results[0]["pageData"]?["screenshot"]?.stringValue == kind.map { _ in "data:image/jpeg;base64,AA" })
  }

  // MARK: - Again after a navigation

  @Test("The last unanswered wait runs again one second after a navigation") func repeatedWait() throws {
    var showing = try Showing()
    showing.run()
    for id in ["a", "b"] {
      showing.command(Self.command(id, "wait", Self.waiting + "//\(id)"))
      showing.checkPage(true)
    }
    showing.handle(.navigation(.automation, .started("https://shop.example/next")))
    // The page that is going ends its script.
    showing.handle(.scriptFinished(run: showing.runs[1].run, .error("cancelled")))
    showing.handle(.navigation(.automation, .committed("https://shop.example/next")))
    showing.handle(.navigation(.automation, .finished("https://shop.example/next")))
    #expect(showing.take().contains(.startTimer(.repeatScript, .seconds(1))))
    showing.fire(.repeatScript)
    #expect(showing.runs.count == 3 && showing.runs[2].script.hasSuffix("//b"))
    showing.say(#"{"data":{"commandId":"b","type":"wait","value":2}}"#, from: .automation)
    showing.collect()
    #expect(showing.results.count == 1 && showing.results[0]["id"] == "b")
    showing.load("https://shop.example/last")
    showing.fire(.repeatScript)
    #expect(showing.runs.count == 4 && showing.runs[3].script.hasSuffix("//a"))
  }

  @Test("Other commands do not run again") func noRepetition() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.command("c", "injectScript", Self.waiting))
    showing.checkPage(true)
    showing.load("https://shop.example/next")
    #expect(!showing.session.timers.contains(.repeatScript))
  }

  // MARK: - Processes

  @Test("When the process of the page ends, open commands are errors, and the view is made anew") func process() throws
  {
    var showing = try Showing()
    showing.run()
    showing.command(Self.command("a", "wait", Self.waiting))
    showing.checkPage(true)
    showing.command(["id": "b", "type": "navigate", "args": ["url": "https://shop.example/b"]])
    showing.handle(.processEnded(.automation))
    #expect(showing.all.contains(.recreate(.automation)))
    #expect(showing.results.map { $0["id"] } == ["a", "b"])
    #expect(showing.results.allSatisfy { $0["error"] == "The process of the page ended." })
    #expect(showing.session.open.isEmpty && showing.session.timers.isEmpty)
  }

  @Test("A result whose page data was being collected is sent without it") func processWhileCollecting() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.command("a", "click"))
    showing.finishScript(.value(7))
    showing.handle(.processEnded(.automation))
    #expect(showing.results.count == 1 && showing.results[0]["data"] == 7 && showing.results[0]["status"] == "success")
    #expect(showing.results[0]["pageData"] == ["cookies": [], "localStorage": [], "sessionStorage": []])
  }
}
