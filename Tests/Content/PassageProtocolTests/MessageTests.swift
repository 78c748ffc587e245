import TesseraJSON
import Testing

@testable import PassageProtocol

/// What pages say, and what the server says by events.
@Suite struct MessageTests {
  static let rows: [(json: String, expected: PageMessage)] = [
    (
      #"{"type":"message","data":"{\"commandId\":\"c\",\"type\":\"wait\",\"value\":true}"}"#,
      .result(ScriptMessage(commandId: "c", outcome: .value(true)))
    ),
    (
      #"{"data":{"commandId":"c","type":"injectScript","error":"boom"}}"#,
      .result(ScriptMessage(commandId: "c", outcome: .error("boom")))
    ),
    (
      #"{"data":{"commandId":"c","type":"injectScript","error":{"message":"m"},"value":1}}"#,
      .result(ScriptMessage(commandId: "c", outcome: .error("m")))
    ),
    (#"{"data":{"commandId":"c","type":"wait"}}"#, .result(ScriptMessage(commandId: "c", outcome: .nothing))),
    (#"{"data":{"commandId":"c","type":"click","value":1}}"#, .other(type: "click")),
    (
      #"{"type":"commandResult","commandId":"c","status":"success","data":[1]}"#,
      .result(ScriptMessage(commandId: "c", outcome: .value([1])))
    ),
    (
      #"{"data":{"type":"commandResult","commandId":"c","status":"error"}}"#,
      .result(ScriptMessage(commandId: "c", outcome: .error("Unknown error")))
    ),
    (#"{"type":"navigate","url":"https://a.example/"}"#, .navigate("https://a.example/")),
    (#"{"type":"close"}"#, .close), (#"{"type":"CLOSE_CONFIRMED"}"#, .closeConfirmed),
    (#"{"type":"CLOSE_CANCELLED"}"#, .closeCancelled), (#"{"type":"setTitle","title":"T\u0007"}"#, .setTitle("T ")),
    (#"{"type":"switchWebview"}"#, .switchWebview(nil)),
    (#"{"data":{"type":"SWITCH_WEBVIEW","targetWebView":"automation"}}"#, .switchWebview(.automation)),
    (#"{"type":"captureScreenshot"}"#, .captureScreenshot),
    (#"{"type":"showBottomSheetWebsite","url":"https://a.example/"}"#, .showWebsite("https://a.example/")),
    (#"{"type":"preloadBottomSheetWebsite","url":"https://a.example/"}"#, .preloadWebsite("https://a.example/")),
    (#"{"type":"changeAutomationUserAgent","userAgent":"A/1"}"#, .changeUserAgent("A/1")),
    (#"{"type":"openLink","url":"mailto:a@b.example"}"#, .openLink("mailto:a@b.example")),
    (#"{"data":{"type":"OPEN_EXTERNAL_URL","url":"https://a.example/"}}"#, .openLink("https://a.example/")),
    (#"{"type":"enableKeyboard"}"#, .setKeyboard(isEnabled: true)),
    (#"{"type":"disableKeyboard"}"#, .setKeyboard(isEnabled: false)),
    (#"{"type":"setRedirectOnDoneCommand","enabled":false}"#, .setRedirectOnDone(isEnabled: false)),
    (#"{"data":{"type":"CLOSE_MODAL"}}"#, .closeModal),
    (#"{"type":"pageData","data":{"html":""}}"#, .pageData(["html": ""])),
    (
      #"{"type":"javascript_error","message":"secret","line":3,"column":4,"isWeakMapError":true}"#,
      .report(PageReport(kind: .javaScript, line: 3, column: 4, isWeakMapError: true))
    ),
    (#"{"type":"passage_message","data":{}}"#, .other(type: "passage_message")), (#"{}"#, .other(type: "message")),
    (#"{"type":"message","data":"not JSON"}"#, .other(type: "message")),
    (
      #"{"data":{"type":"CONNECTION_SUCCESS","connectionId":"k","history":[{"structuredData":{"a":1},"b":2}]}}"#,
      .connectionSuccess(
        PassageSuccessData(
          history: [PassageHistoryItem(structuredData: ["a": 1], additionalData: ["b": 2])], connectionId: "k",
          data: [
            "type": "CONNECTION_SUCCESS", "connectionId": "k", "history": [["structuredData": ["a": 1], "b": 2]],
          ]))
    ),
    (
      #"{"data":{"type":"CONNECTION_ERROR","error":"no"}}"#,
      .connectionError(PassageErrorData(error: "no", data: ["type": "CONNECTION_ERROR", "error": "no"]))
    ),
  ]

  @Test("Every row of the table", arguments: rows.indices) func row(index: Int) {
    #expect(PageMessage(text: Self.rows[index].json) == Self.rows[index].expected)
  }

  @Test("Every way of a client navigation", arguments: ClientNavigation.Method.allCases)
  func clientNavigation(method: ClientNavigation.Method) {
    let text = #"{"type":"clientNavigation","navigationMethod":"\#(method.rawValue)","url":"https://a.example/#b"}"#
    #expect(
      PageMessage(text: text) == .clientNavigation(ClientNavigation(method: method, address: "https://a.example/#b")))
  }

  @Test("The samples") func samples() throws {
    guard case .array(let messages)? = try Samples.json("passage-page-messages")["messages"] else {
      Issue.record("no messages")
      return
    }
    let decoded = messages.map { PageMessage(text: $0.text) }
    #expect(decoded.count == 8 && decoded.allSatisfy { $0 != nil })
    #expect(decoded[0] == .result(ScriptMessage(commandId: "c-4", outcome: .value(true))))
    #expect(decoded[1] == .result(ScriptMessage(commandId: "c-5", outcome: .error("boom"))))
    guard case .showBottomSheet(let sheet)? = decoded[3], case .send(let request)? = decoded[5] else {
      Issue.record("\(decoded)")
      return
    }
    #expect(sheet.title == "Linked" && sheet.description == nil && sheet.points == ["One", "Two"])
    #expect(sheet.closeButtonText == "Done" && !sheet.showsInput)
    #expect(request.path.text == "/automation/note" && request.data == ["a": 1] && request.headers == ["x-extra": "1"])
    #expect(decoded[6] == .switchWebview(nil) && decoded[7] == .closeConfirmed)
  }

  @Test(
    "Malformed messages are ignored",
    arguments: [
      "", "x", "[]", "5", #"{"type":5}"#, #"{"type":"navigate"}"#, #"{"type":"navigate","url":""}"#,
      #"{"type":"setTitle"}"#, #"{"type":"clientNavigation","navigationMethod":"jump","url":"https://a.example"}"#,
      #"{"type":"clientNavigation","navigationMethod":"pushState"}"#, #"{"type":"showBottomSheet"}"#,
      #"{"type":"sendToBackend","apiPath":"//evil.example"}"#, #"{"type":"sendToBackend"}"#,
      #"{"type":"changeAutomationUserAgent","userAgent":"a\nb"}"#, #"{"type":"setRedirectOnDoneCommand","enabled":1}"#,
      #"{"data":{"type":"SWITCH_WEBVIEW","targetWebView":"other"}}"#, #"{"data":{"type":"commandResult"}}"#,
      #"{"data":{"type":"waitForInteraction","commandId":"c","interactionType":"think"}}"#,
    ])
  func malformed(text: String) { #expect(PageMessage(text: text) == nil) }

  @Test("Nesting has a limit") func nesting() {
    let text = String(repeating: #"{"data":"#, count: 100_000)
    #expect(PageMessage(text: text) == nil)
    #expect(PageMessage(text: text + String(repeating: "}", count: 100_000)) == nil)
  }

  @Test("A message that is too long is ignored") func tooLong() {
    let text = #"{"type":"setTitle","title":"\#(String(repeating: "a", count: PageMessage.longest))"}"#
    #expect(PageMessage(text: text) == nil)
  }

  @Test("Only results, navigations, page data and errors belong to the result channel") func resultChannel() {
    let permitted = Self.rows.filter { $0.expected.isOfResultChannel }.count
    #expect(permitted == 8)
    #expect(!PageMessage.navigate("x").isOfResultChannel && !PageMessage.close.isOfResultChannel)
  }

  @Test("What a user types into a password field stays in the page") func passwords() throws {
    let text = #"""
      {"data":{"type":"waitForInteraction","commandId":"c","interactionType":"blur","value":
        {"elementInfo":{"type":"PASSWORD","value":"hunter2"},"inputValue":"hunter2","focusPosition":1}}}
      """#
    let message = try #require(PageMessage(text: text))
    #expect(!"\(message)".contains("hunter2"))
    guard case .result(let result) = message, case .value(let value) = result.outcome else {
      Issue.record("\(message)")
      return
    }
    #expect(value["interactionType"] == "blur" && value["value"]?["focusPosition"] == 1)
    #expect(value["value"]?["inputValue"] == .string(PasswordMask.mask))
    let visible = PageMessage(text: text.replacing("PASSWORD", with: "text"))
    #expect("\(String(describing: visible))".contains("hunter2"))
  }

  @Test("A page sets harmless headers only") func headers() {
    let hostile: JSONObject = [
      "X-Intent-Token": "t", "Cookie": "a", "HOST": "h", "Content-Length": "1", "Connection": "close",
      "Transfer-Encoding": "chunked", "Authorization": "x", "Proxy-Authorization": "x", "Sec-Fetch-Site": "none",
      "X-Forwarded-For": "1", "X_Intent_Token": "t", "x.intent.token": "t", "CF-Connecting-IP": "1",
      "X-HTTP-Method-Override": "DELETE", "Upgrade": "h2c", "TE": "trailers",
      "a b": "c", "": "d", "line": "a\r\nb: c", "number": 5, "X-Extra": "1", "Content-Type": "text/plain",
    ]
    #expect(PageRequest.permitted(hostile) == ["x-extra": "1", "content-type": "text/plain"])
  }

  @Test("The bottom sheet has limits and its default button") func bottomSheet() {
    let sheet = BottomSheet([
      "title": .string(String(repeating: "t", count: 1_000)), "points": .array(Array(repeating: "p", count: 99)),
      "showInput": true,
    ])
    #expect(sheet?.title.count == 200 && sheet?.points.count == 50 && sheet?.closeButtonText == "Submit")
    #expect(BottomSheet(["title": "t"])?.closeButtonText == nil)
  }

  // MARK: - Events of the socket

  @Test("The samples of events") func events() throws {
    guard case .array(let rows)? = try Samples.json("passage-socket-events")["in"] else {
      Issue.record("no events")
      return
    }
    let events = rows.compactMap { row -> ServerEvent? in
      guard case .array(let parts) = row, parts.count == 2, let name = parts[0].stringValue else { return nil }
      return ServerEvent(name: name, payload: parts[1])
    }
    try #require(events.count == 6)
    guard case .connection(let pending) = events[0], case .connection(let complete) = events[1] else {
      Issue.record("\(events)")
      return
    }
    #expect(pending.userActionRequired == true && pending.statusMessage == "Waiting for you" && !pending.isComplete)
    #expect(complete.isComplete && complete.id == "conn-1" && complete.data == [["order": "1001"]])
    #expect(complete.promptResults == [["key": "p1", "value": "yes"]])
    #expect(
      events[2] == .dataComplete(PassageDataResult(data: [["order": "1001"]], prompts: [["key": "p1"]])))
    #expect(
      events[3] == .promptComplete(PassagePromptResponse(key: "p1", value: "yes", response: ["score": 1])))
    guard case .connectionSuccess(let success) = events[4] else {
      Issue.record("\(events[4])")
      return
    }
    #expect(success.connectionId == "conn-1" && success.history.count == 1 && success.data?["connectionId"] == "conn-1")
    #expect(events[5] == .connectionError(PassageErrorData(error: "account locked", data: ["error": "account locked"])))
  }

  @Test(
    "A connection is complete with its status, 100 and data only",
    arguments: [
      (#"{"status":"data_available","progress":100,"data":[{}]}"#, true),
      (#"{"status":"data_partially_available","progress":100.0,"data":[{}]}"#, true),
      (#"{"status":"data_available","progress":99,"data":[{}]}"#, false),
      (#"{"status":"data_available","progress":101,"data":[{}]}"#, false),
      (#"{"status":"data_available","progress":100,"data":[]}"#, false),
      (#"{"status":"data_available","progress":"100","data":[{}]}"#, false),
      (#"{"status":"pending","progress":100,"data":[{}]}"#, false), (#"{"progress":100,"data":[{}]}"#, false),
    ])
  func complete(json: String, isComplete: Bool) throws {
    #expect(ConnectionState(try JSONValue(text: json)).isComplete == isComplete)
  }

  @Test("Unknown and malformed events are ignored") func malformedEvents() {
    #expect(ServerEvent(name: "other", payload: [:]) == nil && ServerEvent(name: "command", payload: [:]) == nil)
    #expect(ServerEvent(name: "connection", payload: 5) == nil)
    #expect(ServerEvent(name: "PROMPT_COMPLETE", payload: ["key": "a", "value": 5]) == nil)
    #expect(ServerEvent(name: "DATA_COMPLETE", payload: ["status": "pending"]) == .dataComplete(nil))
    #expect(
      ServerEvent(name: "CONNECTION_ERROR", payload: .null)
        == .connectionError(PassageErrorData(error: "Unknown error")))
    #expect(ServerEvent(name: "error", payload: ["message": "m"]) == .error(message: "m"))
    #expect(ServerEvent(name: "welcome", payload: .null) == .notice("welcome"))
  }

  @Test("The events for the server") func emissions() throws {
    guard case .array(let rows)? = try Samples.json("passage-socket-events")["out"] else {
      Issue.record("no events")
      return
    }
    let time = try #require(UnixTime(textWithMilliseconds: "2030-01-02T03:04:05.000Z"))
    let emissions: [SocketEmission] = [
      .join(token: "h.p.s", agentName: "example-linux"), .appState(.inactive, token: "h.p.s", at: time),
      .modalExit(token: "h.p.s", at: time),
    ]
    #expect(emissions.map { [.string($0.name), $0.payload] } == rows)
    #expect(emissions.map(\.wantsAcknowledgement) == [false, false, true])
  }
}
