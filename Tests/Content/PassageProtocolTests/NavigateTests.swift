import TesseraJSON
import Testing

@testable import PassageProtocol

/// The command `navigate`, and what pages do (Passage.md, rules 10, 11 and 14).
@Suite struct NavigateTests {
  private static let account = "https://shop.example/account"

  private static func navigate(_ id: String, _ url: JSONValue?, _ patterns: [(String, String)] = []) -> JSONValue {
    var arguments = JSONObject()
    arguments["url"] = url
    if !patterns.isEmpty {
      arguments["successUrls"] = .array(
        patterns.map { ["urlPattern": .string($0.0), "navigationType": .string($0.1)] })
    }
    return ["id": .string(id), "type": "navigate", "args": .object(arguments)]
  }

  @Test("The sample: a page is loaded, and the result has its address and its data") func sample() throws {
    var showing = try Showing()
    showing.run()
    showing.command(try Samples.json("passage-command-navigate"))
    #expect(
      showing.take().contains(.load(PageLoad(.automation, Self.account, clearsHistory: true))))
    #expect(showing.session.timers.contains { if case .commandLimit = $0 { true } else { false } })
    showing.load(Self.account)
    #expect(showing.results.isEmpty, "the page data comes first")
    showing.collect { $0.url = Self.account }
    let expected = try Samples.json("passage-result-navigate")
    #expect(showing.results.count == 1)
    #expect(showing.results[0]["id"] == expected["id"] && showing.results[0]["status"] == "success")
    #expect(showing.results[0]["data"] == expected["data"])
    #expect(
      showing.results[0]["pageData"]?["html"] == "<p>"
        && showing.results[0]["pageData"]?["url"] == .string(Self.account))
    #expect(showing.session.timers.isEmpty)
  }

  @Test(
    "Without an address, or with a bad one, it is an error",
    arguments: [
      (nil, "No URL provided"), ("", "No URL provided"), (5, "No URL provided"),
      ("javascript:alert(1)", "The URL is not"), ("file:///etc/passwd", "The URL is not"),
    ] as [(JSONValue?, String)])
  func bad(url: JSONValue?, error: String) throws {
    var showing = try Showing()
    showing.run()
    let loads = showing.loads.count
    showing.command(Self.navigate("c", url))
    #expect(showing.results.count == 1 && showing.results[0]["status"] == "error")
    #expect(showing.results[0]["error"]?.stringValue?.hasPrefix(error) == true)
    #expect(showing.results[0]["pageData"] == nil && showing.loads.count == loads)
  }

  @Test("Another domain than those the user agreed to is refused") func otherDomain() throws {
    var showing = try Showing()
    showing.run()
    for (index, url) in ["https://evil.example/", "https://notshop.example/", "https://shop.example.evil.example"]
      .enumerated()
    {
      showing.command(Self.navigate("c\(index)", .string(url)))
    }
    #expect(showing.results.map { $0["data"]?["errorType"] } == Array(repeating: "domain_not_consented", count: 3))
    #expect(showing.loads.filter { $0.view == .automation }.count == 1)
    showing.command(Self.navigate("c", "https://www.shop.example/"))
    #expect(showing.loads.filter { $0.view == .automation }.count == 2)
  }

  @Test(
    "Another port or scheme of the host is another website",
    arguments: [
      "https://shop.example:8443/login", "http://shop.example/login", "https://shop.example:80/",
    ]) func otherOrigin(_ url: String) throws
  {
    var showing = try Showing()
    showing.run()
    showing.command(Self.navigate("c", .string(url)))
    #expect(showing.results.map { $0["data"]?["errorType"] } == ["domain_not_consented"])
    #expect(showing.loads.filter { $0.view == .automation }.count == 1)
    // A redirect leads there: neither the page nor its address leaves the machine.
    showing.load(url)
    showing.command(["id": "d", "type": "click", "injectScript": "1"])
    #expect(showing.runs.isEmpty)
    #expect(showing.results.last?["data"]?["errorType"] == "domain_not_consented")
    #expect(!showing.session.isPageConsented)
  }

  @Test("A page that is there already is not loaded again") func sameAddress() throws {
    var showing = try Showing()
    showing.run()
    let loads = showing.loads.count
    showing.command(Self.navigate("c", "https://SHOP.example:443/login"))
    #expect(showing.loads.count == loads)
    showing.collect()
    #expect(showing.results.count == 1 && showing.results[0]["status"] == "success")
    #expect(showing.results[0]["data"] == ["url": "https://shop.example/login"])
  }

  @Test(
    "A view that the program emptied has no page: the same one is loaded again",
    arguments: [HostRequest.Call.resetWebViewURLs, .clearWebViewState])
  func emptied(call: HostRequest.Call) throws {
    var showing = try Showing()
    showing.run()
    let request = HostRequest(id: 7, call)
    let target = "https://shop.example/login"
    // One that was begun has no result, and ends neither later nor by the next page.
    showing.handle(.navigation(.automation, .started(target)))
    showing.command(Self.navigate("c", .string(target)))
    showing.handle(.host(request))
    #expect(showing.take().contains(.perform(request)))
    #expect(showing.results.map { $0["error"] } == ["The program emptied the view."])
    #expect(showing.results.first?["data"] == ["url": .string(target)])
    #expect(!showing.session.timers.contains { if case .commandLimit = $0 { true } else { false } })
    showing.command(Self.navigate("d", .string(target)))
    #expect(showing.take().contains(.load(PageLoad(.automation, target, clearsHistory: true))))
    #expect(showing.collections.isEmpty)
    showing.load(target)
    showing.collect()
    #expect(showing.results.map { $0["status"] } == ["error", "success"])
  }

  @Test("A view that the program emptied has no page for scripts") func emptiedScript() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.host(HostRequest(id: 7, .resetWebViewURLs)))
    #expect(showing.session.refusal(of: .injectJavaScript("1", .automation))?.kind == .accessDenied)
    showing.command(["id": "c", "type": "click", "injectScript": "1"])
    #expect(showing.runs.isEmpty && showing.results.isEmpty)
  }

  @Test("A page that is being loaded is waited for") func sameAddressLoading() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.navigation(.automation, .started(Self.account)))
    showing.handle(.navigation(.automation, .committed(Self.account)))
    let loads = showing.loads.count
    showing.command(Self.navigate("c", .string(Self.account)))
    #expect(showing.loads.count == loads && showing.collections.isEmpty)
    showing.handle(.navigation(.automation, .finished(Self.account)))
    showing.collect()
    #expect(showing.results.count == 1)
  }

  @Test("A failed load is an error with its reason and address, and the page is not “there”") func failure() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.navigate("c", .string(Self.account)))
    showing.handle(.navigation(.automation, .started(Self.account)))
    showing.handle(.navigation(.automation, .failed(Self.account, reason: "Connection refused.")))
    #expect(
      showing.results == [
        ["id": "c", "status": "error", "data": ["url": .string(Self.account)], "error": "Connection refused."]
      ])
    let loads = showing.loads.count
    showing.command(Self.navigate("d", .string(Self.account)))
    #expect(showing.loads.count == loads + 1)
  }

  @Test("A load of 15 seconds is stopped, and is an error") func limit() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.navigate("c", .string(Self.account)))
    guard
      case .startTimer(let timer, let duration)? = showing.take().first(where: {
        if case .startTimer(.commandLimit, _) = $0 { true } else { false }
      })
    else {
      Issue.record("no limit")
      return
    }
    #expect(duration == .seconds(15))
    showing.handle(.navigation(.automation, .started(Self.account)))
    showing.fire(timer)
    #expect(showing.take().contains(.stopLoading(.automation)))
    #expect(showing.results.count == 1 && showing.results[0]["status"] == "error")
    #expect(showing.results[0]["data"] == ["url": .string(Self.account)])
    showing.handle(.navigation(.automation, .finished(Self.account)))
    #expect(showing.results.count == 1)
  }

  @Test("The end of the page before is not that of the next one; a replaced load is no failure") func stale() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.navigate("c", .string(Self.account)))
    showing.handle(.navigation(.automation, .finished("https://shop.example/login")))
    showing.handle(.navigation(.automation, .failed("https://shop.example/login", reason: "x", isReplaced: true)))
    #expect(showing.results.isEmpty && showing.collections.isEmpty)
    showing.load(Self.account)
    #expect(showing.collections.count == 1)
  }

  @Test("A second navigation takes the place of the first, which is an error") func replaced() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.navigate("c", .string(Self.account)))
    showing.command(Self.navigate("d", "https://shop.example/other"))
    #expect(showing.results.map { $0["id"] } == ["c"] && showing.results[0]["status"] == "error")
    showing.load("https://shop.example/other")
    showing.collect()
    #expect(showing.results.map { $0["id"] } == ["c", "d"])
  }

  // MARK: - Success addresses

  @Test(
    "Success addresses are compared at their moments",
    arguments: [
      (NavigationInput.started("https://shop.example/start"), true),
      (.redirected("https://shop.example/start"), true), (.committed("https://shop.example/start"), true),
      (.finished("https://shop.example/start"), false), (.addressChanged("https://shop.example/start"), false),
      (.started("https://shop.example/end/1"), false), (.finished("https://shop.example/end/1"), true),
      (.addressChanged("https://shop.example/end/1"), true), (.finished("https://shop.example/"), false),
    ])
  func success(event: NavigationInput, isSuccess: Bool) throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.socket(.event(name: "connection", payload: ["userActionRequired": true])))
    showing.command(
      Self.navigate(
        "c", .string(Self.account),
        [("https://shop.example/start", "navigationStart"), ("https://shop.example/end/*", "navigationEnd")]))
    showing.load(Self.account)
    #expect(showing.session.visible == .automation)
    showing.handle(.navigation(.automation, event))
    #expect(showing.session.visible == (isSuccess ? .ui : .automation))
  }

  @Test("A client navigation ends the user's part", arguments: ClientNavigation.Method.allCases)
  func clientNavigation(method: ClientNavigation.Method) throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.navigate("c", .string(Self.account), [("https://shop.example/end", "navigationEnd")]))
    showing.load(Self.account)
    showing.handle(.socket(.event(name: "connection", payload: ["userActionRequired": true])))
    func text(_ url: String) -> String {
      #"{"type":"clientNavigation","navigationMethod":"\#(method.rawValue)","url":"\#(url)"}"#
    }
    showing.say(text("https://evil.example/end"), from: .automation)
    showing.say(text("https://shop.example/end"), from: .automation, origin: "https://evil.example")
    showing.say(text("https://shop.example/end"), from: .automation, isFromTopFrame: false)
    #expect(showing.session.visible == .automation)
    showing.say(text("https://shop.example/end"), from: .automation)
    #expect(showing.session.visible == .ui)
  }

  @Test("A navigation without success addresses clears them") func cleared() throws {
    var showing = try Showing()
    showing.run()
    showing.command(Self.navigate("c", .string(Self.account), [("*", "navigationEnd")]))
    #expect(showing.session.successURLs.count == 1)
    showing.command(Self.navigate("d", .string(Self.account)))
    #expect(showing.session.successURLs.isEmpty)
  }

  // MARK: - States of the browser

  @Test("Start, redirect and begin of a page are told; its end and going back are not") func browserState() throws {
    var showing = try Showing()
    showing.run()
    let before = showing.browserStates.count
    for event: NavigationInput in [
      .started("https://shop.example/a"), .redirected("https://shop.example/b"), .committed("https://shop.example/b"),
      .finished("https://shop.example/b"), .addressChanged("https://shop.example/b#c"),
    ] { showing.handle(.navigation(.automation, event)) }
    #expect(
      showing.browserStates.dropFirst(before) == [
        ["url": "https://shop.example/a"], ["url": "https://shop.example/b"], ["url": "https://shop.example/b"],
      ])
    showing.handle(.history(canGoBack: true))
    showing.handle(.socket(.event(name: "connection", payload: ["userActionRequired": true])))
    showing.handle(.backPressed)
    showing.load("https://shop.example/a")
    #expect(showing.browserStates.count == before + 3)
    showing.load("https://shop.example/c")
    #expect(showing.browserStates.count == before + 5)
  }

  @Test("Nothing is told about pages of other domains") func otherPages() throws {
    var showing = try Showing()
    showing.run()
    let before = showing.requests.count
    showing.load("https://idp.example/signin?secret")
    #expect(showing.requests.count == before)
  }

  // MARK: - The back button

  @Test("The back button is there if the automation view is, can go back, and nothing is loaded") func backButton()
    throws
  {
    var showing = try Showing()
    showing.run()
    func isShown(_ effects: [PassageEffect]) -> Bool? {
      effects.compactMap { if case .setBackButton(let isVisible) = $0 { isVisible } else { nil } }.last
    }
    showing.handle(.history(canGoBack: true))
    #expect(isShown(showing.take()) == nil, "the UI view is visible")
    showing.handle(.socket(.event(name: "connection", payload: ["userActionRequired": true])))
    #expect(isShown(showing.take()) == true)
    showing.command(Self.navigate("c", .string(Self.account)))
    #expect(isShown(showing.take()) == false)
    showing.load(Self.account)
    #expect(isShown(showing.take()) == true)
    showing.handle(.history(canGoBack: false))
    #expect(isShown(showing.take()) == false)
    showing.handle(.backPressed)
    #expect(!showing.take().contains(.goBack(.automation)))
    showing.handle(.history(canGoBack: true))
    _ = showing.take()
    showing.handle(.backPressed)
    #expect(showing.take() == [.goBack(.automation), .startTimer(.backRecheck, .milliseconds(300))])
    showing.fire(.backRecheck)
    #expect(showing.take() == [.askHistory])
    showing.handle(.socket(.event(name: "connection", payload: ["userActionRequired": false])))
    #expect(isShown(showing.take()) == false)
  }
}
