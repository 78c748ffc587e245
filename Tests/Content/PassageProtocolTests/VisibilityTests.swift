import TesseraCore
import TesseraJSON
import Testing

@testable import PassageProtocol

/// Which view is visible, what the UI page may do, popups and the bottom sheet (Passage.md, rules 9 and 16 to 18).
@Suite struct VisibilityTests {
  private static func connection(_ isRequired: Bool) -> PassageInput {
    .socket(.event(name: "connection", payload: ["userActionRequired": .bool(isRequired)]))
  }

  @Test("The server shows a view when an action of the user is needed, once for each change") func connection() throws {
    var showing = try Showing()
    showing.run()
    for isRequired in [false, true, true, false] { showing.handle(Self.connection(isRequired)) }
    #expect(showing.shows == [.automation, .ui])
  }

  @Test("The program is told when a view is opaque, unless another one is meant already") func callbackOrder() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(Self.connection(true))
    #expect(showing.callbacks.isEmpty)
    showing.handle(.shown(.automation))
    #expect(showing.callbacks == [.webviewChange(.automation)])
    showing.handle(Self.connection(false))
    showing.handle(.shown(.automation))
    #expect(showing.callbacks.count == 1)
    showing.handle(.shown(.ui))
    #expect(showing.callbacks == [.webviewChange(.automation), .webviewChange(.ui)])
  }

  @Test("Commands and pages switch the view, too") func switching() throws {
    var showing = try Showing()
    showing.run()
    showing.command(["id": "a", "type": "wait", "injectScript": "1", "userActionRequired": true])
    #expect(showing.session.visible == .automation)
    showing.say(#"{"type":"switchWebview"}"#)
    #expect(showing.session.visible == .ui)
    showing.say(#"{"type":"SWITCH_WEBVIEW","targetWebView":"automation"}"#)
    showing.say(#"{"type":"SWITCH_WEBVIEW","targetWebView":"automation"}"#)
    #expect(showing.session.visible == .automation)
    showing.command(["id": "b", "type": "done"])
    #expect(showing.session.visible == .ui && showing.shows == [.automation, .ui, .automation, .ui])
  }

  @Test("In record mode the automation view stays, until the recording is complete") func recordMode() throws {
    var showing = try Showing()
    showing.run(#"{"record":true}"#)
    #expect(showing.shows == [.automation])
    showing.handle(Self.connection(false))
    showing.say(#"{"type":"switchWebview"}"#)
    showing.command(["id": "b", "type": "done"])
    #expect(showing.shows == [.automation])
    showing.handle(.host(HostRequest(id: 1, .completeRecording(.null))))
    showing.handle(Self.connection(true))
    #expect(showing.shows == [.automation, .ui] && showing.session.visible == .ui)
  }

  @Test("Before the user agreed, the automation view is not shown") func beforeConsent() throws {
    var showing = try Showing()
    showing.open()
    showing.say(#"{"type":"switchWebview"}"#)
    #expect(showing.shows.isEmpty)
  }

  // MARK: - What the UI page may do

  @Test("What the UI page asks for is done") func uiPage() throws {
    var showing = try Showing()
    showing.run()
    let rows: [(String, PassageEffect)] = [
      (#"{"type":"navigate","url":"https://a.example/"}"#, .load(PageLoad(.ui, "https://a.example/"))),
      (#"{"type":"setTitle","title":"T"}"#, .setTitle("T")),
      (#"{"type":"changeAutomationUserAgent","userAgent":"A/2"}"#, .setUserAgent("A/2")),
      (#"{"type":"enableKeyboard"}"#, .setKeyboard(isEnabled: true)),
      (#"{"type":"disableKeyboard"}"#, .setKeyboard(isEnabled: false)),
      (#"{"type":"openLink","url":"https://a.example/"}"#, .openExternally("https://a.example/")),
      (#"{"type":"showBottomSheetWebsite","url":"https://a.example"}"#, .showWebsite("https://a.example/")),
      (#"{"type":"preloadBottomSheetWebsite","url":"https://a.example"}"#, .preloadWebsite("https://a.example/")),
    ]
    for (text, effect) in rows {
      showing.say(text)
      #expect(showing.take().contains(effect), "\(text)")
    }
    showing.handle(Self.connection(true))
    showing.say(#"{"type":"navigate","url":"https://shop.example/"}"#)
    #expect(showing.loads.last == PageLoad(.automation, "https://shop.example/"), "the visible view")
    #expect(showing.all.contains(.reload(.automation)))
  }

  @Test("Addresses that are not allowed are not opened") func refusedAddresses() throws {
    var showing = try Showing()
    showing.run()
    for text in [
      #"{"type":"openLink","url":"file:///etc/passwd"}"#, #"{"type":"navigate","url":"javascript:alert(1)"}"#,
      #"{"type":"showBottomSheetWebsite","url":"http://a.example"}"#, #"{"type":"openLink","url":"steam://run/1"}"#,
    ] {
      showing.say(text)
      let effects = showing.take()
      #expect(effects.count == 1, "only a log")
      guard case .log? = effects.first else {
        Issue.record("\(effects)")
        continue
      }
    }
    for _ in 0..<5 { showing.say(#"{"type":"openLink","url":"https://a.example/"}"#) }
    #expect(showing.take().filter { $0 == .openExternally("https://a.example/") }.count == 2)
  }

  @Test("A request of the UI page has the token, and its own headers", arguments: [true, false])
  func sendToBackend(hasSessionServer: Bool) throws {
    var config = Showing.config
    if hasSessionServer { config.sessionUrl = "https://session.example" }
    var showing = try Showing(config)
    showing.run()
    let before = showing.requests.count
    showing.say(
      #"{"type":"sendToBackend","apiPath":"/automation/note","data":{"a":1},"headers":{"x-extra":"1","X-Intent-Token":"forged"}}"#
    )
    showing.say(#"{"type":"sendToSession","path":"/note","data":5}"#)
    let requests = showing.requests.dropFirst(before)
    #expect(
      requests.map(\.address)
        == ["https://api.example/automation/note"] + (hasSessionServer ? ["https://session.example/note"] : []))
    let request = try #require(requests.first)
    #expect(
      request.headers
        == ["content-type": "application/json", "x-extra": "1", "x-intent-token": showing.session.token])
    #expect(String(decoding: request.body ?? [], as: UTF8.self) == #"{"a":1}"#)
    #expect(showing.sent.last?.kind == (hasSessionServer ? .sessionRequest : .pageRequest))
  }

  @Test(
    "A page of the automation view, a frame, and another origin can do none of it",
    arguments: [
      (PassageView.automation, "https://shop.example", true), (.automation, "https://ui.example", true),
      (.ui, "https://evil.example", true), (.ui, "https://ui.example", false), (.ui, "http://ui.example", true),
      (.ui, "https://ui.example.evil.example", true), (.ui, "null", true), (.ui, "", true),
    ])
  func isolation(view: PassageView, origin: String, isFromTopFrame: Bool) throws {
    var showing = try Showing()
    showing.run()
    showing.handle(Self.connection(true))
    _ = showing.take()
    for text in [
      #"{"type":"sendToBackend","apiPath":"/a"}"#, #"{"type":"navigate","url":"https://evil.example/"}"#,
      #"{"type":"openLink","url":"https://evil.example/"}"#, #"{"type":"changeAutomationUserAgent","userAgent":"x"}"#,
      #"{"type":"switchWebview"}"#, #"{"type":"close"}"#, #"{"type":"CLOSE_CONFIRMED"}"#,
      #"{"type":"captureScreenshot"}"#,
      #"{"type":"showBottomSheet","title":"x"}"#, #"{"data":{"type":"CONNECTION_SUCCESS"}}"#,
      #"{"data":{"type":"CLOSE_MODAL"}}"#, #"{"type":"setTitle","title":"x"}"#,
    ] {
      showing.say(text, from: view, origin: origin, isFromTopFrame: isFromTopFrame)
      let effects = showing.take()
      #expect(effects.allSatisfy { if case .log = $0 { true } else { false } }, "\(text): \(effects)")
    }
    #expect(showing.callbacks.isEmpty)
  }

  // MARK: - Popups

  @Test("Two popups at once, and addresses for the visible view, the same view, and programs") func popups() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.popup(.automation, address: ""))
    showing.handle(.popup(.automation, address: "about:blank"))
    #expect(showing.take() == [.openPopup, .openPopup])
    showing.handle(.popup(.automation, address: "https://accounts.google.com/x"))
    showing.handle(.popup(.automation, address: "https://shop.example/help"))
    showing.handle(.popup(.automation, address: "fb://x"))
    #expect(
      showing.take() == [
        .load(PageLoad(.automation, "https://accounts.google.com/x")),
        .load(PageLoad(.automation, "https://shop.example/help")),
        .openExternally("fb://x"),
      ], "a page of a third party never takes the place of the UI page")
    showing.handle(Self.connection(true))
    _ = showing.take()
    showing.handle(.popup(.ui, address: "https://accounts.google.com/x"))
    showing.handle(.popup(.ui, address: "https://ui.example/help"))
    #expect(
      showing.take() == [
        .load(PageLoad(.automation, "https://accounts.google.com/x")), .load(PageLoad(.ui, "https://ui.example/help")),
      ])
    for _ in 0..<10 { showing.handle(.popup(.ui, address: "")) }
    #expect(showing.take().filter { $0 == .openPopup }.count == 6)
    showing.handle(.popupClosed)
    showing.handle(.popup(.ui, address: ""))
    #expect(showing.take() == [.openPopup])
  }

  // MARK: - The bottom sheet

  @Test("A second sheet replaces the content of the open one") func bottomSheet() throws {
    var showing = try Showing()
    showing.run()
    showing.say(#"{"type":"showBottomSheet","title":"A"}"#)
    showing.say(#"{"type":"showBottomSheet","title":"B"}"#)
    #expect(showing.take() == [.showBottomSheet(BottomSheet(title: "A")), .updateBottomSheet(BottomSheet(title: "B"))])
    showing.handle(.bottomSheetClosed)
    showing.say(#"{"type":"showBottomSheet","title":"C"}"#)
    #expect(showing.take() == [.showBottomSheet(BottomSheet(title: "C"))])
    showing.handle(.bottomSheetSubmitted(nil))
    #expect(showing.take() == [.hideBottomSheet])
    showing.handle(.bottomSheetSubmitted("https://shop.example/"))
    #expect(showing.take().isEmpty, "no sheet is open")
  }

  @Test("An entered address is loaded; another domain needs the user's consent first") func entered() throws {
    var showing = try Showing()
    showing.run()
    func enter(_ text: String) {
      showing.say(#"{"type":"showBottomSheet","title":"A","showInput":true}"#)
      _ = showing.take()
      showing.handle(.bottomSheetSubmitted(text))
    }
    enter("javascript:alert(1)")
    #expect(!showing.take().contains(.hideBottomSheet))
    enter("https://www.shop.example/a")
    #expect(showing.take().contains(.load(PageLoad(.automation, "https://www.shop.example/a", clearsHistory: true))))
    enter("https://bank.example/")
    guard case .askConsent(let request)? = showing.take().last else {
      Issue.record("nobody asked")
      return
    }
    #expect(request.consent.domains.entries == ["bank.example"])
    showing.handle(.consent(isGiven: false))
    #expect(showing.take().isEmpty)
    enter("https://bank.example/")
    showing.handle(.consent(isGiven: true))
    #expect(showing.loads.last?.address == "https://bank.example/")
    #expect(showing.session.consent?.contains(WebOrigin(.https, "bank.example")) == true)
    #expect(showing.session.consent?.contains(WebOrigin(.https, "a.bank.example")) == false)
    #expect(!showing.session.isEnded)
  }

  // MARK: - The program

  @Test("The program's requests") func host() throws {
    var showing = try Showing()
    let clear = HostRequest(id: 1, .clearAllCookies)
    showing.handle(.host(clear))
    showing.handle(.host(HostRequest(id: 2, .close)))
    #expect(showing.take().first == .perform(clear) && !showing.session.isEnded)
    showing.run()
    showing.handle(.host(HostRequest(id: 3, .navigate("https://a.example/"))))
    showing.handle(.host(HostRequest(id: 4, .goForward)))
    showing.handle(.host(HostRequest(id: 5, .cookies(of: "https://a.example/"))))
    showing.handle(.host(HostRequest(id: 6, .navigate("file:///x"))))
    #expect(
      showing.take().prefix(3) == [
        .load(PageLoad(.ui, "https://a.example/")), .goForward(.ui),
        .perform(HostRequest(id: 5, .cookies(of: "https://a.example/"))),
      ])
    #expect(showing.loads.last?.address == "https://a.example/")
  }

  @Test("States of the program are sent when they change, while the socket is connected") func appState() throws {
    var showing = try Showing()
    showing.run()
    for state: AppState in [.active, .inactive, .inactive, .background] { showing.handle(.appState(state)) }
    showing.handle(.socket(.disconnected))
    showing.handle(.appState(.active))
    let updates = showing.emissions.filter { $0.name == "appStateUpdate" }
    #expect(updates.map { $0.payload["state"] } == ["inactive", "background"])
    #expect(updates.first?.payload["timestamp"] == "2030-01-02T03:04:05Z")
    #expect(updates.first?.payload["intentToken"] == .string(showing.session.token))
  }
}
