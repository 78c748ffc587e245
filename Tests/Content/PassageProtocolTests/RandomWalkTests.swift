import TesseraJSON
import TestSupport
import Testing

@testable import PassageProtocol

/// Sessions of random inputs: whatever comes, the promises hold.
@Suite struct RandomWalkTests {
  private static let addresses = [
    "https://shop.example/login", "https://www.shop.example/a", "https://evil.example/", "about:blank", "", "x",
    "https://shop.example/done", "https://idp.example/login",
  ]
  private static let ids = (0..<12).map { "c\($0)" }
  private static let texts = [
    #"{"type":"close"}"#, #"{"type":"CLOSE_CANCELLED"}"#, #"{"type":"CLOSE_CONFIRMED"}"#, #"{"type":"switchWebview"}"#,
    #"{"type":"captureScreenshot"}"#, #"{"type":"sendToBackend","apiPath":"/a"}"#,
    #"{"type":"navigate","url":"https://evil.example/"}"#,
    #"{"type":"showBottomSheet","title":"t","showInput":true}"#,
    #"{"type":"setRedirectOnDoneCommand","enabled":false}"#,
    #"{"data":{"type":"CONNECTION_SUCCESS","connectionId":"k"}}"#, "{",
    #"{"data":{"commandId":"c1","type":"wait","value":1}}"#,
    #"{"data":{"commandId":"c2","type":"injectScript","error":"e"}}"#, #"{"type":"console_error","message":"m"}"#,
    #"{"type":"clientNavigation","navigationMethod":"pushState","url":"https://shop.example/done"}"#,
  ]

  private static func command(_ generator: inout SeededGenerator) -> JSONValue {
    let types = ["navigate", "click", "input", "wait", "injectScript", "done", "teleport"]
    var command: JSONObject = [
      "id": .string(ids.randomElement(using: &generator) ?? ""),
      "type": .string(types.randomElement(using: &generator) ?? ""),
      "args": [
        "url": .string(addresses.randomElement(using: &generator) ?? ""),
        "success": .bool(Bool.random(using: &generator)),
        "successUrls": [["urlPattern": "https://shop.example/d*", "navigationType": "navigationEnd"]],
      ],
    ]
    if Int.random(in: 0..<5, using: &generator) > 0 {
      command["injectScript"] = Bool.random(using: &generator) ? "1" : "(async () => passage.postMessage(1))()"
    }
    if Int.random(in: 0..<8, using: &generator) == 0 { command["cookieDomains"] = ["evil.example"] }
    if Int.random(in: 0..<8, using: &generator) == 0 {
      command["userActionRequired"] = .bool(Bool.random(using: &generator))
    }
    return .object(command)
  }

  private static func navigation(_ generator: inout SeededGenerator) -> NavigationInput {
    let address = addresses.randomElement(using: &generator) ?? ""
    return switch Int.random(in: 0..<6, using: &generator) {
    case 0: .started(address)
    case 1: .redirected(address)
    case 2: .committed(address)
    case 3: .finished(address)
    case 4: .failed(address, reason: "r", isReplaced: Bool.random(using: &generator))
    default: .addressChanged(address)
    }
  }

  /// Something that can happen now: numbers and timers are mostly those of the session.
  private static func input(_ showing: Showing, _ generator: inout SeededGenerator) -> PassageInput {
    let number = Int.random(in: 0...showing.session.lastNumber + 1, using: &generator)
    let view = PassageView.allCases.randomElement(using: &generator) ?? .ui
    let outcome: ScriptOutcome = [.value(1), .nothing, .error("e")].randomElement(using: &generator) ?? .nothing
    switch Int.random(in: 0..<40, using: &generator) {
    case 0..<8: return .socket(.event(name: "command", payload: command(&generator)))
    case 8..<14: return .navigation(view == .ui && number % 4 > 0 ? .automation : view, navigation(&generator))
    case 14..<18: return .scriptFinished(run: showing.runs.last?.run ?? number, outcome)
    case 18..<21: return .pageChecked(check: number, isReady: number % 4 > 0)
    case 21..<24:
      var data = PageData()
      (data.url, data.html) = (addresses.randomElement(using: &generator), "<p>")
      data.cookies = [
        PassageCookie(name: "a", value: "b", domain: "evil.example"),
        PassageCookie(name: "a", value: "b", domain: "shop.example"),
      ]
      return .pageData(collection: showing.collections.last?.collection ?? number, data)
    case 24..<28:
      return showing.session.timers.randomElement(using: &generator).map(PassageInput.timer) ?? .timer(.redirect)
    case 28..<31:
      let isTaken = Bool.random(using: &generator)
      return .response(request: number, isTaken ? .received(status: 200, body: []) : .failed(reason: "r"))
    case 31: return .socket(Bool.random(using: &generator) ? .connected : .disconnected)
    case 32: return .socket(.failed(reason: "r"))
    case 33:
      return .message(
        view, origin: view == .ui ? "https://ui.example" : "https://shop.example", isFromTopFrame: number % 5 > 0,
        text: texts.randomElement(using: &generator) ?? "")
    case 34: return .popup(view, address: addresses.randomElement(using: &generator) ?? "")
    case 35: return .screenshot(Bool.random(using: &generator) ? "data:image/jpeg;base64,AA" : nil)
    case 36:
      return [.processEnded(.automation), .backPressed, .history(canGoBack: true), .shown(view), .popupClosed]
        .randomElement(using: &generator) ?? .backPressed
    case 37:
      return [
        .closePressed, .bottomSheetSubmitted("https://bank.example/"), .appState(.inactive), .appState(.active),
        .socket(.acknowledged(event: "modalExit")), .open(SessionOptions(intentToken: "", sessionSuffix: "")),
      ].randomElement(using: &generator) ?? .closePressed
    case 38:
      let calls: [HostRequest.Call] = [
        .completeRecording(["a": 1]), .captureRecordingData(.null), .goBack, .goForward,
        .navigate("https://a.example/"),
        .clearAllCookies,
      ]
      return .host(HostRequest(id: 1, calls.randomElement(using: &generator) ?? .goBack))
    default: return number % 40 == 0 ? .windowClosed : .consent(isGiven: number % 7 > 0)
    }
  }

  private static func check(_ showing: Showing, _ posted: [(JSONValue, PassageRequest)]) {
    // One result for each command: repeated requests are the same.
    var results: [String: JSONValue] = [:]
    for (body, _) in posted {
      guard let id = body["id"]?.stringValue else {
        Issue.record("a result without a command")
        continue
      }
      #expect(results[id] == nil || results[id] == body)
      results[id] = body
      #expect(
        !body.text.contains("evil.example\",\"path") && body["pageData"]?["cookies"]?.text.contains("evil") != true)
      // Addresses and values from elsewhere are in no result.
      if let site = body["data"]?["url"]?.stringValue.flatMap({ WebAddress($0)?.origin }), body["status"] == "success" {
        #expect(showing.session.consent?.contains(site) == true, "\(site)")
      }
      if let url = body["pageData"]?["url"]?.stringValue {
        #expect(WebAddress(url).map { showing.session.consent?.contains($0.origin) } == true)
      }
    }
    var emitted: [String: Int] = [:]
    for event in showing.emissions where event.name == "commandResult" {
      emitted[event.payload["id"]?.stringValue ?? "", default: 0] += 1
    }
    #expect(emitted.values.allSatisfy { $0 == 1 })
    #expect(showing.emissions.filter { $0.name == "modalExit" }.count <= 1)
    #expect(showing.callbacks.filter { if case .exit = $0 { true } else { false } }.count <= 1)
    let ends = showing.all.indices.filter { if case .end = showing.all[$0] { true } else { false } }
    #expect(ends.isEmpty || ends == [showing.all.count - 1], "the end comes last, once")
    #expect(showing.all.filter { $0 == .present }.count <= 1)
    for state in showing.browserStates {
      #expect(state["url"]?.stringValue.flatMap { WebAddress($0)?.host }?.hasSuffix("shop.example") == true)
    }
    // No script runs before the user agreed.
    if let run = showing.all.firstIndex(where: { if case .run = $0 { true } else { false } }) {
      let asked = showing.all.firstIndex { if case .askConsent = $0 { true } else { false } }
      #expect(asked.map { $0 < run } == true)
    }
    #expect(showing.session.open.count <= 16 && showing.session.timers.count <= 256)
  }

  @Test("10,000 random inputs keep the promises") func walk() async throws {
    var inputs = 0
    var ended = 0
    var results = 0
    let claims = ["{}", #"{"record":true}"#, #"{"captureScreenshot":true,"clearAllCookies":true}"#]
    try await Fuzzing.manyTimes(50, of: "sessions") { generator in
      var config = Showing.config
      config.sendsResultsOverSocket = Bool.random(using: &generator)
      config.analyticsUrl = Bool.random(using: &generator) ? "https://count.example/" : nil
      var showing = try Showing(config)
      if Bool.random(using: &generator) {
        showing.run(claims.randomElement(using: &generator) ?? "")
      } else {
        showing.openUntilAsked(claims.randomElement(using: &generator) ?? "")
      }
      for _ in 0..<200 {
        showing.wait(Int64.random(in: 0...2_000, using: &generator))
        let wasEnded = showing.session.isEnded
        let count = showing.all.count
        showing.handle(Self.input(showing, &generator))
        inputs += 1
        if wasEnded { #expect(showing.all.count == count) }
      }
      let posted = showing.requests.filter { $0.address.hasSuffix("/automation/command-result") }.compactMap {
        request in
        (try? JSONValue(text: String(decoding: request.body ?? [], as: UTF8.self))).map { ($0, request) }
      }
      results += posted.count
      if showing.session.isEnded { ended += 1 }
      Self.check(showing, posted)
    }
    #expect(inputs >= 10_000)
    // The walks come somewhere.
    #expect(results > 200 && ended > 5, "\(results) results, \(ended) ends")
  }
}
