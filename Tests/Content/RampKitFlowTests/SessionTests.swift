import TesseraJSON
import Testing

@testable import RampKitFlow

/// A whole showing by a clock of the test.
@Suite struct SessionTests {
  /// A flow that is shown, and the time.
  private struct Showing {
    var session: FlowSession
    var time = Duration.zero
    var effects: [FlowEffect] = []

    init(screens: Int = 3) {
      var flow = OnboardingData()
      flow.screens = (0..<screens).map { ScreenPayload(id: "s\($0)", html: "x") }
      flow.variables = [OnboardingVariable(name: "name", initialValue: "")]
      session = FlowSession(flow, at: .zero)
      effects = session.begin()
      for page in 0..<screens { effects += session.loaded(page: page, at: time) }
      wait(220)
    }

    mutating func wait(_ milliseconds: Int) {
      time += .milliseconds(milliseconds)
      effects += session.advance(to: time)
    }

    mutating func send(_ text: String, from page: Int = 0) {
      if PageMessage(text: text) == nil { Issue.record("\(text) is no message") }
      effects += session.received(text, from: page, at: time)
    }

    /// The effects since the last call.
    mutating func take() -> [FlowEffect] {
      defer { effects = [] }
      return effects
    }

    var frame: OverlayFrame { session.frame(at: time) }
  }

  private static func events(_ effects: [FlowEffect]) -> [FlowEvent] {
    effects.compactMap { if case .report(let event) = $0 { event } else { nil } }
  }

  // MARK: - Times

  @Test func theOverlayAppearsWhenItsFirstPageIsLoaded() {
    var session = FlowSession(Self.flow, at: .zero)
    #expect(session.frame(at: .zero) == OverlayFrame(opacity: 0, curtain: 1, pages: [.init(index: 0)]))
    #expect(session.loaded(page: 0, at: .milliseconds(100)).contains(.setVisible(page: 0, true)))
    #expect(session.frame(at: .milliseconds(100)).opacity == 0)
    let half = session.frame(at: .milliseconds(210))
    #expect(half == OverlayFrame(opacity: 0.875, pages: [.init(index: 0)]), "cubic, half of 220 ms")
    _ = session.advance(to: .milliseconds(319))
    #expect(session.isMoving)
    _ = session.advance(to: .milliseconds(320))
    #expect(!session.isMoving && session.frame(at: .milliseconds(320)).opacity == 1)
  }

  @Test func theOverlayAppearsWithoutItsFirstPageAfter600Milliseconds() {
    var session = FlowSession(Self.flow, at: .zero)
    _ = session.advance(to: .milliseconds(599))
    #expect(session.frame(at: .milliseconds(599)).curtain == 1)
    #expect(session.advance(to: .milliseconds(600)) == [.setVisible(page: 0, true)])
    #expect(session.frame(at: .milliseconds(600)).curtain == 0)
    _ = session.advance(to: .milliseconds(820))
    #expect(!session.isMoving)
    // The page comes later, and is told again.
    #expect(session.loaded(page: 0, at: .seconds(2)).contains(.setVisible(page: 0, true)))
  }

  /// A window that nobody sees draws no frames: its owner calls at `nextDue`.
  @Test func withoutFramesTheFlowGoesOnWhenItIsDue() throws {
    var session = FlowSession(Self.flow, at: .zero)
    var due: [Duration] = []
    func advance() throws {
      due.append(try #require(session.nextDue))
      _ = session.advance(to: due[due.count - 1])
    }
    try advance()
    try advance()
    #expect(session.nextDue == nil && !session.isMoving)
    _ = session.closed(at: .seconds(5))
    try advance()
    #expect(session.isClosed && session.nextDue == nil)
    #expect(due == [.milliseconds(600), .milliseconds(820), .milliseconds(5_470)])
  }

  @Test func closingFadesFromWhatIsSeen() {
    var session = FlowSession(Self.flow, at: .zero)
    _ = session.closed(at: .milliseconds(100))
    #expect(session.frame(at: .milliseconds(120)).opacity == 0, "nothing was seen yet")
    var showing = Showing()
    showing.send(#"{"type":"rampkit:continue","animation":"slide"}"#)
    showing.wait(150)
    let pages = showing.frame.pages
    showing.effects += showing.session.closed(at: showing.time)
    #expect(showing.frame.pages == pages)
    showing.wait(310)
    #expect(showing.frame == OverlayFrame(opacity: 0.125, pages: pages))
  }

  @Test func theOverlayDisappearsAfter150And320Milliseconds() {
    var showing = Showing()
    showing.send("rampkit:close")
    #expect(showing.frame.opacity == 1)
    showing.wait(150)
    #expect(showing.frame.opacity == 1)
    showing.wait(160)
    #expect(showing.frame.opacity == 0.125, "cubic, half of 320 ms")
    showing.wait(159)
    #expect(!showing.session.isClosed)
    #expect(!showing.effects.contains(.closed(.closed)))
    showing.wait(1)
    #expect(showing.session.isClosed && showing.effects.last == .closed(.closed))
    #expect(!showing.session.isMoving)
  }

  @Test func fadeUsesACurtainOf160And160Milliseconds() {
    var showing = Showing()
    showing.send(#"{"type":"rampkit:continue"}"#)
    #expect(showing.frame == OverlayFrame(curtain: 0, pages: [.init(index: 0)]))
    showing.wait(80)
    #expect(showing.frame == OverlayFrame(curtain: 0.75, pages: [.init(index: 0)]), "quadratic ease-out")
    showing.wait(79)
    #expect(showing.session.active == 0)
    _ = showing.take()
    showing.wait(1)
    #expect(showing.session.active == 1)
    #expect(showing.frame == OverlayFrame(curtain: 1, pages: [.init(index: 1)]))
    let effects = showing.take()
    #expect(effects.first == .setVisible(page: 0, false) && effects.last == .setVisible(page: 1, true))
    #expect(effects.contains(.sendState(page: 2)))
    showing.wait(80)
    #expect(showing.frame == OverlayFrame(curtain: 0.75, pages: [.init(index: 1)]), "quadratic ease-in")
    showing.wait(80)
    #expect(showing.frame == OverlayFrame(pages: [.init(index: 1)]) && !showing.session.isMoving)
  }

  @Test func slideMovesBothPagesByTheWidth() {
    var showing = Showing()
    showing.send(#"{"type":"rampkit:continue","animation":"slide"}"#)
    showing.wait(150)
    #expect(
      showing.frame.pages == [.init(index: 0, shiftInWidths: -0.875), .init(index: 1, shiftInWidths: 0.125)])
    showing.wait(149)
    #expect(showing.session.active == 0)
    showing.wait(1)
    #expect(showing.session.active == 1 && showing.frame.pages == [.init(index: 1)])
    showing.send(#"{"type":"rampkit:goBack","animation":"slide"}"#, from: 1)
    showing.wait(150)
    #expect(
      showing.frame.pages == [.init(index: 1, shiftInWidths: 0.875), .init(index: 0, shiftInWidths: -0.125)])
  }

  @Test func slideFadeMovesBy200Pixels() {
    var showing = Showing()
    showing.send(#"{"type":"rampkit:navigate","targetScreenId":"s2","animation":"slidefade"}"#)
    showing.wait(160)
    #expect(
      showing.frame.pages == [
        .init(index: 0, opacity: 0.125, shift: -175), .init(index: 2, opacity: 0.875, shift: 25),
      ])
    showing.wait(160)
    #expect(showing.session.active == 2)
  }

  @Test func rightToLeftPagesMoveTheOtherWay() {
    let transition = PageTransition(
      from: 0, to: 1, animation: .slide, isForward: true, isRightToLeft: true, start: .zero)
    #expect(
      transition.frame(at: .milliseconds(150)).pages == [
        .init(index: 0, shiftInWidths: 0.875), .init(index: 1, shiftInWidths: -0.125),
      ])
  }

  @Test(arguments: ["fade", "slide", "slideFade"]) func withoutAnimationsEverythingChangesAtOnce(animation: String) {
    var flow = Self.flow
    flow.screens.append(ScreenPayload(id: "b", html: "x"))
    var session = FlowSession(flow, at: .zero, timing: .withoutAnimations)
    _ = session.loaded(page: 0, at: .zero)
    _ = session.advance(to: .zero)
    #expect(session.frame(at: .zero) == OverlayFrame(pages: [.init(index: 0)]))
    _ = session.received(#"{"type":"continue","animation":"\#(animation)"}"#, from: 0, at: .zero)
    #expect(session.advance(to: .zero).last == .setVisible(page: 1, true))
    #expect(session.frame(at: .zero) == OverlayFrame(pages: [.init(index: 1)]))
    _ = session.closed(at: .zero)
    #expect(session.advance(to: .zero) == [.closed(.closed)])
  }

  @Test func navigationDuringATransitionIsDropped() {
    var showing = Showing()
    showing.send("next")
    showing.wait(100)
    _ = showing.take()
    showing.send("next")
    showing.send("rampkit:navigate:s2")
    showing.send("rampkit:goBack")
    #expect(showing.take() == [])
    showing.wait(220)
    #expect(showing.session.active == 1)
    // Also from the page that is arriving.
    showing.send(#"{"type":"rampkit:navigate","targetScreenId":"s1"}"#, from: 1)
    #expect(Self.events(showing.take()).map(\.name).contains("cta_tap"))
    #expect(!showing.session.isMoving, "the target is the page itself")
  }

  // MARK: - Senders

  @Test func aPageThatIsNotShownHasNoEffect() {
    var showing = Showing()
    _ = showing.take()
    for text in [
      "next", "rampkit:goBack", "rampkit:close", "rampkit:navigate:s2", "rampkit:onboarding-finished",
      "rampkit:show-paywall", #"{"type":"rampkit:open-url","url":"https://a.example"}"#,
    ] {
      showing.send(text, from: 1)
    }
    #expect(showing.take() == [] && showing.session.active == 0 && !showing.session.isMoving)
    showing.send("haptic:x", from: 1)
    #expect(showing.take() == [.play(.impact(.medium))])
  }

  @Test func aReviewWaitsForItsPageAndComesOnce() {
    var showing = Showing()
    for _ in 0..<3 { showing.send("rampkit:review", from: 1) }
    #expect(!showing.take().contains(.requestReview))
    showing.send("next")
    showing.wait(320)
    #expect(showing.take().filter { $0 == .requestReview }.count == 1)
    showing.send("rampkit:review", from: 1)
    #expect(showing.take() == [])
  }

  @Test func aNotificationRequestWaitsForItsPage() {
    var showing = Showing()
    let request = FlowEffect.requestNotificationPermission(NotificationPermissionOptions())
    showing.send("rampkit:request-notification-permission", from: 1)
    #expect(!showing.take().contains(request))
    showing.send("next")
    showing.wait(320)
    #expect(showing.take().contains(request))
    showing.send("rampkit:request-notification-permission", from: 1)
    #expect(showing.take() == [request])
  }

  @Test func aFloodIsBoundedAndSaidOnce() {
    var showing = Showing()
    _ = showing.take()
    for index in 0..<100_000 { showing.send(#"{"type":"rampkit:variables","vars":{"n":\#(index)}}"#) }
    let effects = showing.take()
    #expect(effects.filter { $0 == .keepAnswers }.count == 1_000)
    let logs = effects.filter { if case .log = $0 { true } else { false } }
    #expect(logs == [.log("The page “s0” sends too many messages. The rest is dropped.")])
    // The page is served again later.
    showing.wait(1_000)
    _ = showing.take()
    showing.send(#"{"type":"rampkit:variables","vars":{"n":"late"}}"#)
    #expect(showing.session.variables.values["n"] == "late")
  }

  @Test func longMessagesAreBoundedByTheirLength() {
    var showing = Showing()
    _ = showing.take()
    let long = String(repeating: "x", count: 1 << 20)
    for index in 0..<20 { showing.send(#"{"type":"rampkit:debug","message":"\#(index)\#(long)"}"#) }
    let effects = showing.take()
    #expect(effects.count { if case .debug = $0 { true } else { false } } == 7)
    #expect(effects.contains(.log("The page “s0” sends too many messages. The rest is dropped.")))
  }

  @Test func whatIsTypedAfterAPaywallIsReported() {
    var showing = Showing()
    showing.send("rampkit:show-paywall")
    showing.send(#"{"type":"rampkit:variables","vars":{"name":"Ada"}}"#)
    _ = showing.take()
    showing.send("rampkit:onboarding-finished")
    #expect(Self.events(showing.take()).map(\.name) == ["variable_set"])
  }

  @Test func hapticsAndAddressesAreLimited() {
    var showing = Showing()
    _ = showing.take()
    for _ in 0..<100 {
      showing.send("haptic:x")
      showing.send(#"{"type":"rampkit:open-url","url":"https://a.example/"}"#)
    }
    let effects = showing.take()
    #expect(effects.filter { $0 == .play(.impact(.medium)) }.count == 10)
    #expect(effects.filter { $0 == .open("https://a.example/") }.count == 2)
  }

  @Test(arguments: ["file:///etc/passwd", "javascript:alert(1)", "tessera-content://x/", "", "ssh://a"])
  func otherAddressesAreNotOpened(address: String) {
    var showing = Showing()
    _ = showing.take()
    showing.send(#"{"type":"rampkit:open-url","url":"\#(address)"}"#)
    #expect(!showing.take().contains(.open(address)))
  }

  // MARK: - Variables

  @Test func anAcceptedChangeReachesAllPages() {
    var showing = Showing()
    _ = showing.take()
    showing.send(#"{"type":"rampkit:variables","vars":{"name":"Ada"}}"#)
    #expect(
      showing.take() == [.keepAnswers, .sendVariables(page: 0), .sendVariables(page: 1), .sendVariables(page: 2)])
    showing.send(#"{"type":"rampkit:variables","vars":{"name":"Ada"}}"#)
    #expect(showing.take() == [], "nothing changed")
    showing.send(#"{"type":"rampkit:request-vars"}"#, from: 2)
    #expect(showing.take() == [.sendVariables(page: 2)])
  }

  /// A user who deletes at once what was typed.
  @Test func theEchoOfItsOwnValuesDoesNotMakeAPagesNextOnesOld() {
    var showing = Showing()
    showing.wait(600)
    showing.send(#"{"type":"rampkit:variables","vars":{"name":"A"}}"#)
    showing.wait(50)
    showing.send(#"{"type":"rampkit:variables","vars":{"name":""}}"#)
    #expect(showing.session.variables.values["name"] == "")
  }

  @Test func aChangeIsReportedWhenItRests() {
    var showing = Showing()
    showing.wait(600)
    for text in ["A", "Ad", "Ada"] {
      showing.send(#"{"type":"rampkit:variables","vars":{"name":"\#(text)"}}"#)
      showing.wait(100)
    }
    #expect(!Self.events(showing.take()).contains { $0.name == "variable_set" })
    #expect(showing.session.nextDue != nil)
    showing.wait(900)
    let events = Self.events(showing.take())
    #expect(events.map(\.name) == ["variable_set"])
    #expect(
      events.first?.properties == [
        "variableName": "name", "variableType": "state", "valueType": "string", "newValue": "Ada", "previousValue": "",
        "source": "user_input",
      ])
    #expect(showing.session.nextDue == nil)
  }

  // MARK: - Ends

  @Test func finishingCallsBackAndCloses() {
    var showing = Showing()
    _ = showing.take()
    showing.send(#"{"type":"rampkit:onboarding-finished","payload":{"ok":true}}"#)
    var effects = showing.take()
    #expect(effects.contains(.finished(payload: ["ok": true])))
    let event = Self.events(effects).first
    #expect(event?.name == "onboarding_completed" && event?.properties["trigger"] == "finished")
    #expect(event?.properties["completedSteps"] == 1 && event?.properties["totalSteps"] == 3)
    showing.send("rampkit:onboarding-finished")
    #expect(showing.take() == [], "it comes once")
    showing.wait(470)
    effects = showing.take()
    #expect(effects == [.closed(.finished)])
  }

  @Test func aPaywallLeavesTheOverlay() {
    var showing = Showing()
    _ = showing.take()
    showing.send(#"{"type":"rampkit:show-paywall","payload":{"paywallId":"pw1"}}"#)
    let effects = showing.take()
    #expect(effects.contains(.showPaywall(payload: ["paywallId": "pw1"])))
    #expect(Self.events(effects).map(\.name) == ["paywall_shown", "onboarding_completed"])
    #expect(Self.events(effects).first?.properties["paywallId"] == "pw1")
    #expect(!showing.session.isMoving && showing.frame.opacity == 1)
    showing.send("rampkit:show-paywall")
    #expect(Self.events(showing.take()).map(\.properties["paywallId"]) == ["unknown"])
  }

  @Test func theLastPageContinuesToTheEnd() {
    var showing = Showing(screens: 1)
    _ = showing.take()
    showing.send("rampkit:tap")
    let effects = showing.take()
    #expect(effects.first == .play(.notification(.success)))
    #expect(effects.contains(.finished(payload: nil)))
    showing.wait(470)
    #expect(showing.session.isClosed)
  }

  @Test func escapeGoesBackAndClosesOnTheFirstPage() {
    var showing = Showing()
    showing.send("rampkit:navigate:s2")
    showing.wait(320)
    showing.effects += showing.session.wentBack(at: showing.time)
    showing.wait(320)
    #expect(showing.session.active == 1)
    showing.effects += showing.session.wentBack(at: showing.time)
    showing.wait(320)
    #expect(showing.session.active == 0)
    _ = showing.take()
    showing.effects += showing.session.wentBack(at: showing.time)
    showing.wait(470)
    #expect(showing.take().last == .closed(.closed))
  }

  /// The user sees the first page before it has appeared in full.
  @Test(arguments: [0, 100, 219, 220]) func escapeClosesWhileTheFirstPageAppears(_ milliseconds: Int64) {
    var session = FlowSession(Self.flow, at: .zero)
    if milliseconds > 0 { _ = session.loaded(page: 0, at: .zero) }
    let time = Duration.milliseconds(milliseconds)
    _ = session.advance(to: time)
    _ = session.wentBack(at: time)
    #expect(session.advance(to: time + .milliseconds(470)).last == .closed(.closed))
    #expect(session.isClosed)
  }

  @Test func escapeDuringTheMoveToThePageAfterTheFirstIsDropped() {
    var showing = Showing()
    showing.send("rampkit:continue")
    _ = showing.take()
    showing.effects += showing.session.wentBack(at: showing.time)
    #expect(showing.take().isEmpty)
    showing.wait(320)
    #expect(showing.session.active == 1 && !showing.session.isClosed)
  }

  @Test func whoClosesEarlyAbandons() {
    var showing = Showing()
    _ = showing.take()
    showing.time += .seconds(5)
    showing.effects += showing.session.closed(at: showing.time)
    let events = Self.events(showing.take())
    #expect(events.map(\.name) == ["onboarding_abandoned"])
    #expect(events.first?.properties["timeSpentSeconds"] == 5 && events.first?.properties["reason"] == "dismissed")
  }

  @Test func aPageWhoseProcessEndsIsLoadedOnceMore() {
    var showing = Showing()
    _ = showing.take()
    #expect(showing.session.failed(page: 1, at: showing.time) == [.reload(page: 1)])
    #expect(showing.session.loaded(page: 1, at: showing.time).contains(.sendVariables(page: 1)))
    let effects = showing.session.failed(page: 1, at: showing.time)
    #expect(Self.events(effects).first?.properties["reason"] == "error")
    showing.wait(470)
    #expect(showing.take().last == .closed(.error))
  }

  @Test func nothingHappensAfterTheEnd() {
    var showing = Showing()
    showing.send("rampkit:close")
    showing.wait(470)
    _ = showing.take()
    for text in ["next", "haptic:x", #"{"type":"rampkit:variables","vars":{"a":1}}"#] { showing.send(text) }
    showing.effects += showing.session.loaded(page: 0, at: showing.time)
    showing.effects += showing.session.failed(page: 0, at: showing.time)
    showing.effects += showing.session.closed(at: showing.time)
    showing.effects += showing.session.set("a", 1, at: showing.time)
    showing.wait(10_000)
    #expect(showing.take() == [] && showing.session.nextDue == nil)
  }

  private static var flow: OnboardingData {
    var flow = OnboardingData()
    flow.screens = [ScreenPayload(id: "a", html: "x")]
    return flow
  }
}
