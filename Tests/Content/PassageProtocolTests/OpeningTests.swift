import TesseraJSON
import Testing

@testable import PassageProtocol

/// From opening to the third party's page (Passage.md, rule 8).
@Suite struct OpeningTests {
  @Test("The order is: window, start page, user agent, configuration, consent, page, socket") func order() throws {
    var showing = try Showing()
    showing.open()
    let start = "https://ui.example/connect?intentToken="
    let opening = showing.take()
    #expect(opening.first == .present)
    #expect(showing.loads.count == 1 && showing.loads[0].view == .ui && showing.loads[0].ignoresCache)
    #expect(showing.loads[0].address.hasPrefix(start))
    #expect(showing.loads[0].address.contains("&sdkSession=sdk-session-1893553445-abcdefghi&agentName=tessera-passage"))
    #expect(opening.contains(.startTimer(.startPage, .seconds(30))))
    #expect(opening.contains(.startTimer(.userAgentDelay, .milliseconds(100))))

    showing.fire(.userAgentDelay)
    #expect(showing.take() == [.detectUserAgent, .startTimer(.userAgentLimit, .seconds(2))])
    showing.handle(.userAgent("Engine/1"))
    #expect(showing.take().first == .cancelTimer(.userAgentLimit))
    #expect(showing.requests.map(\.address) == ["https://api.example/automation/configuration"])
    #expect(showing.requests[0].headers["x-webview-user-agent"] == "Engine/1")

    showing.answer(
      to: "/automation/configuration",
      .received(status: 200, body: try Samples.bytes("passage-configuration")))
    guard case .askConsent(let request)? = showing.take().last else {
      Issue.record("nobody asked")
      return
    }
    #expect(request.consent.domains.entries == ["shop.example", ".shop.example"])
    #expect(showing.loads.count == 1)

    showing.handle(.consent(isGiven: true))
    #expect(
      showing.take() == [
        .setUserAgent("ExampleAgent/1.0"), .setGlobalScript("window.__probe = (window.__probe || 0) + 1;"),
        .load(PageLoad(.automation, "https://shop.example/login")),
        .connectSocket(
          SocketTarget(
            address: "https://api.example/", namespace: "/ws",
            query: ["intentToken": Showing.token("{}"), "agentName": "tessera-passage"])),
      ])
    showing.handle(.socket(.connected))
    #expect(showing.emissions.map(\.name) == ["join"])
  }

  @Test(
    "Before the answer only the start page, the configuration and what the program wants counted leave the machine",
    arguments: [false, true])
  func beforeAnswer(isGiven: Bool) throws {
    var config = Showing.config
    config.analyticsUrl = "https://count.example/"
    var showing = try Showing(config)
    showing.openUntilAsked(#"{"captureScreenshot":true,"record":true}"#)
    // Nothing that happens meanwhile changes that.
    for timer in showing.session.timers { showing.handle(.timer(timer)) }
    showing.command(["id": "c", "type": "done", "args": ["success": true]])
    showing.load("https://shop.example/login")
    showing.handle(.socket(.connected))
    showing.handle(.appState(.background))
    if !isGiven { showing.handle(.consent(isGiven: false)) }
    let addresses = Set(showing.requests.map(\.address))
    #expect(addresses == ["https://api.example/automation/configuration", "https://count.example/"])
    #expect(showing.loads.map(\.view) == [.ui] && showing.emissions.isEmpty && showing.collections.isEmpty)
    #expect(!showing.all.contains { if case .connectSocket = $0 { true } else { false } })
    #expect(showing.requests.first { $0.address.hasSuffix("configuration") }?.body == nil)
  }

  @Test("A page of this machine that a server elsewhere names is not asked about") func localPage() throws {
    var showing = try Showing()
    showing.openUntilAsked("{}", ["integration": ["url": "http://127.0.0.1:8484/"]])
    #expect(!showing.all.contains { if case .askConsent = $0 { true } else { false } })
    #expect(showing.loads.map(\.view) == [.ui] && showing.session.consent == nil)
  }

  @Test("Without a user agent in two seconds the configuration is asked for all the same") func noUserAgent() throws {
    var showing = try Showing()
    showing.open()
    showing.fire(.userAgentDelay)
    showing.fire(.userAgentLimit)
    #expect(showing.requests.count == 1 && showing.requests[0].headers["x-webview-user-agent"] == nil)
    showing.handle(.userAgent("late"))
    #expect(showing.requests.count == 1)
  }

  @Test("A second opening is ignored, and the first goes on") func twice() throws {
    var showing = try Showing()
    showing.open()
    let count = showing.all.count
    showing.open(#"{"record":true}"#)
    #expect(showing.all.count == count + 1)
    guard case .log? = showing.all.last else {
      Issue.record("\(String(describing: showing.all.last))")
      return
    }
    #expect(!showing.session.flags.record)
  }

  @Test("Without consent nothing of the third party is loaded, and Passage closes") func refused() throws {
    var showing = try Showing()
    showing.openUntilAsked()
    showing.handle(.consent(isGiven: false))
    #expect(!showing.loads.contains { $0.view == .automation })
    #expect(!showing.all.contains { if case .connectSocket = $0 { true } else { false } })
    #expect(showing.reason == .userAction && showing.callbacks == [.exit(.userAction)])
  }

  @Test("An answer that nobody asked for is no consent") func unasked() throws {
    var showing = try Showing()
    showing.open()
    showing.handle(.consent(isGiven: true))
    #expect(showing.session.consent == nil && showing.loads.count == 1)
    showing.handle(.consent(isGiven: false))
    #expect(!showing.session.isEnded)
  }

  @Test(
    "If the configuration fails, the socket is tried, and no page is shown",
    arguments: [
      RequestOutcome.failed(reason: "x"), .received(status: 500, body: Array("{}".utf8)),
      .received(status: 200, body: Array("no".utf8)), .received(status: 200, body: Array("{}".utf8)),
    ])
  func configurationFails(outcome: RequestOutcome) throws {
    var showing = try Showing()
    showing.open()
    showing.fire(.userAgentDelay)
    showing.handle(.userAgent("a"))
    showing.answer(to: "/automation/configuration", outcome)
    #expect(showing.all.contains { if case .connectSocket = $0 { true } else { false } })
    #expect(!showing.loads.contains { $0.view == .automation })
    #expect(showing.requests.count == 1, "the configuration is asked for once")
    showing.handle(.socket(.connected))
    showing.command(try Samples.json("passage-command-navigate"))
    #expect(showing.results.count == 1 && showing.results[0]["status"] == "error")
    #expect(showing.results[0]["data"]?["errorType"] == "domain_not_consented")
  }

  @Test(
    "Cookies are removed when the token or the configuration says so",
    arguments: [
      (#"{"clearAllCookies":true,"cookieDomains":[".a.example"]}"#, "{}", [".a.example"] as [String]?, 1),
      (#"{"clearAllCookies":true}"#, #"{"cookieDomains":["b.example"]}"#, ["b.example"], 1),
      (#"{"clearAllCookies":true}"#, "{}", nil, 1), ("{}", #"{"clearAllCookies":true}"#, nil, 1),
      (#"{"cookieDomains":[".a.example"]}"#, #"{"clearAllCookies":true}"#, [".a.example"], 1),
      (#"{"clearAllCookies":false,"cookieDomains":[".a.example"]}"#, "{}", nil, 0),
    ])
  func clearing(claims: String, configuration: String, domains: [String]?, count: Int) throws {
    var showing = try Showing()
    guard case .object(var members) = try JSONValue(text: configuration) else { return }
    members["integration"] = ["url": "https://shop.example/"]
    showing.openUntilAsked(claims, .object(members))
    showing.handle(.consent(isGiven: true))
    let clearings = showing.all.compactMap { effect -> CookieDomains?? in
      if case .clearCookies(let domains) = effect { domains } else { nil }
    }
    #expect(clearings.count == count)
    if count > 0 { #expect(clearings.first.flatMap(\.self)?.entries == domains) }
    // Before the page is loaded.
    let clear = showing.all.firstIndex { if case .clearCookies = $0 { true } else { false } }
    let load = showing.all.firstIndex(of: .load(PageLoad(.automation, "https://shop.example/")))
    if let clear, let load { #expect(clear < load) }
  }

  @Test("No display: the error callback, and the end") func noDisplay() throws {
    var showing = try Showing()
    showing.open()
    showing.handle(.presentationFailed(reason: "No display."))
    #expect(
      showing.callbacks == [.connectionError(PassageErrorData(error: "No display.")), .exit(.error)])
    #expect(showing.reason == .error)
  }

  @Test("A start page that fails or is not there in 30 seconds ends Passage", arguments: [true, false])
  func startPage(isLate: Bool) throws {
    var showing = try Showing()
    showing.open()
    if isLate {
      showing.fire(.startPage)
    } else {
      showing.handle(.navigation(.ui, .failed("https://ui.example/", reason: "Refused.")))
    }
    #expect(showing.callbacks.count == 2 && showing.reason == .error)
  }

  @Test("Later pages of the UI view may fail") func laterPage() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.navigation(.ui, .failed("https://ui.example/", reason: "Refused.")))
    #expect(!showing.session.isEnded && showing.callbacks.isEmpty)
  }

  @Test("A UI process that ends is replaced once") func processOfUI() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.processEnded(.ui))
    #expect(showing.take().contains(.recreate(.ui)))
    #expect(showing.loads.last?.view == .ui)
    showing.handle(.processEnded(.ui))
    #expect(showing.callbacks.last == .connectionError(PassageErrorData(error: "The process of the page ended twice.")))
  }

  @Test("The log has the configuration's request, by its server only") func sentLog() throws {
    var showing = try Showing()
    showing.run()
    #expect(showing.sent.map(\.kind) == [.configuration, .browserState, .browserState, .socketEvent])
    #expect(showing.sent.allSatisfy { $0.server == "api.example" && !$0.line.contains(Showing.token("{}")) })
  }

  @Test("No log has the token, a cookie or a page") func logs() throws {
    var showing = try Showing()
    showing.run(#"{"sessionId":"s"}"#)
    showing.command(["id": "c", "type": "click", "injectScript": "secretscript"])
    showing.finishScript(.value("secretvalue"))
    showing.collect { $0.html = "secrethtml" }
    showing.say(#"{"type":"console_error","message":"secretmessage","line":5}"#, from: .automation)
    showing.say("secret", from: .ui)
    let logs = showing.all.compactMap { if case .log(let text) = $0 { text } else { nil } }
    #expect(logs.contains { $0.contains("line 5") } && logs.count >= 2)
    #expect(!logs.contains { $0.contains("secret") || $0.contains(showing.session.token) })
  }
}
