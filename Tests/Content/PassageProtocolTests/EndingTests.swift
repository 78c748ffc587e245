import TesseraJSON
import Testing

@testable import PassageProtocol

/// `done`, recording, reconnecting and closing (Passage.md, rules 13 and 15).
@Suite struct EndingTests {
  // MARK: - done

  @Test("done: the UI view, the result, the callback, and the page for the end 0.5 seconds later") func done() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.socket(.event(name: "connection", payload: ["userActionRequired": true])))
    _ = showing.take()
    showing.command(try Samples.json("passage-command-done-success"))
    #expect(showing.take().first == .show(.ui))
    showing.collect()
    let effects = showing.take()
    let result = try #require(effects.firstIndex { if case .send = $0 { true } else { false } })
    let callback = try #require(effects.firstIndex { if case .callback = $0 { true } else { false } })
    let timer = try #require(effects.firstIndex(of: .startTimer(.redirect, .milliseconds(500))))
    #expect(result < callback && callback < timer)
    guard case .connectionComplete(let success)? = showing.callbacks.last else {
      Issue.record("\(showing.callbacks)")
      return
    }
    #expect(success.connectionId == "conn-1" && success.history.first?.additionalData["order"] == "1001")
    showing.fire(.redirect)
    #expect(
      showing.loads.last?.address
        == "https://ui.example/connect?intentToken=\(showing.session.token)&success=true&appAgentName=tessera-passage")
    #expect(showing.loads.last?.view == .ui && !showing.session.isEnded)
  }

  @Test("A failure has the error callback and the error in the page's address") func doneFailure() throws {
    var showing = try Showing()
    showing.run()
    showing.command(try Samples.json("passage-command-done-failure"))
    #expect(showing.results == [try Samples.json("passage-result-done-failure")])
    #expect(
      showing.callbacks == [
        .connectionError(PassageErrorData(error: "wrong password", data: ["error": "wrong password"]))
      ])
    showing.fire(.redirect)
    #expect(
      showing.loads.last?.address.hasSuffix("&success=false&appAgentName=tessera-passage&error=wrong%20password")
        == true)
    showing.say(#"{"data":{"type":"CONNECTION_ERROR","error":"wrong password"}}"#)
    showing.handle(.timer(.modalExit))
    #expect(showing.callbacks.count == 2 && showing.callbacks.last == .exit(.error))
  }

  @Test("The page for the end can be switched off", arguments: [true, false]) func redirectSwitchedOff(isLate: Bool)
    throws
  {
    var showing = try Showing()
    showing.run()
    if !isLate { showing.say(#"{"type":"setRedirectOnDoneCommand","enabled":false}"#) }
    showing.command(try Samples.json("passage-command-done-failure"))
    if isLate { showing.say(#"{"type":"setRedirectOnDoneCommand","enabled":false}"#) }
    let loads = showing.loads.count
    showing.fire(.redirect)
    #expect(showing.loads.count == loads)
  }

  @Test("Without a history of its own, done has that of the connection before") func knownConnection() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(
      .socket(
        .event(
          name: "connection",
          payload: ["id": "k", "status": "data_available", "progress": 100, "data": [["order": "1"]]])))
    showing.command(["id": "d", "type": "done"])
    showing.collect()
    #expect(
      showing.callbacks == [
        .dataComplete(PassageDataResult(data: [["order": "1"]], prompts: nil)),
        .connectionComplete(
          PassageSuccessData(history: [PassageHistoryItem(additionalData: ["order": "1"])], connectionId: "k")),
      ])
  }

  @Test("Each connection is complete once, whoever says so; each error is an error") func once() throws {
    var showing = try Showing()
    showing.run()
    let success: JSONValue = ["connections": [], "connectionId": "k"]
    for _ in 0..<2 { showing.handle(.socket(.event(name: "CONNECTION_SUCCESS", payload: success))) }
    showing.handle(.socket(.event(name: "CONNECTION_SUCCESS", payload: ["connections": [], "connectionId": "l"])))
    for _ in 0..<2 { showing.handle(.socket(.event(name: "CONNECTION_ERROR", payload: ["error": "e"]))) }
    showing.handle(.socket(.failed(reason: "r")))
    showing.handle(.socket(.event(name: "error", payload: "s")))
    let errors = showing.callbacks.compactMap { if case .connectionError(let error) = $0 { error.error } else { nil } }
    #expect(errors == ["e", "e", "r", "s"] && showing.callbacks.count == 6)
  }

  @Test("The samples of the server's events reach the program") func events() throws {
    var showing = try Showing()
    showing.run()
    guard case .array(let rows)? = try Samples.json("passage-socket-events")["in"] else { return }
    for case .array(let row) in rows where row.count == 2 {
      showing.handle(.socket(.event(name: row[0].stringValue ?? "", payload: row[1])))
    }
    let names = showing.callbacks.map { callback in
      switch callback {
      case .connectionComplete: "complete"
      case .connectionError: "error"
      case .dataComplete: "data"
      case .promptComplete: "prompt"
      case .exit: "exit"
      case .webviewChange: "change"
      }
    }
    #expect(names == ["data", "data", "prompt", "complete", "error"])
  }

  // MARK: - Recording

  @Test("A recorder's command has its result when the recording is complete") func completeRecording() throws {
    var showing = try Showing()
    showing.run(#"{"record":true}"#)
    showing.handle(
      .socket(
        .event(
          name: "connection",
          payload: ["id": "k", "status": "data_available", "progress": 100, "data": [["order": "1"]]])))
    showing.command(["id": "c-5", "type": "injectScript", "injectScript": "record()"])
    showing.finishScript(.nothing)
    #expect(
      showing.results.isEmpty && !showing.session.timers.contains { if case .commandLimit = $0 { true } else { false } }
    )
    _ = showing.take()
    showing.handle(.host(HostRequest(id: 1, .completeRecording(["note": "recorded"]))))
    #expect(showing.take() == [.show(.ui), .startTimer(.recording, .milliseconds(300))])
    showing.fire(.recording)
    showing.collect()
    let expected = try Samples.json("passage-result-recording-done")
    try #require(showing.results.count == 1)
    for name in ["id", "status", "data"] { #expect(showing.results[0][name] == expected[name], "\(name)") }
    guard case .connectionComplete(let success)? = showing.callbacks.last else {
      Issue.record("\(showing.callbacks)")
      return
    }
    #expect(success.connectionId == "k")
  }

  @Test("captureRecordingData is the result success, and then there is no second one") func captureRecordingData()
    throws
  {
    var showing = try Showing()
    showing.run(#"{"record":true}"#)
    showing.command(["id": "c", "type": "injectScript", "injectScript": "record()"])
    showing.finishScript(.nothing)
    for _ in 0..<2 {
      showing.handle(.host(HostRequest(id: 1, .captureRecordingData(["a": 1]))))
      showing.collect()
    }
    showing.handle(.host(HostRequest(id: 1, .completeRecording(["b": 1]))))
    showing.fire(.recording)
    #expect(
      showing.results.count == 1 && showing.results[0]["status"] == "success" && showing.results[0]["data"] == ["a": 1])
    #expect(showing.shows.last == .ui)
  }

  @Test("A recorder runs again one second after each navigation, also when it has its result") func recorderAgain()
    throws
  {
    var showing = try Showing()
    showing.run(#"{"record":true}"#)
    showing.command(["id": "a", "type": "injectScript", "injectScript": "first()"])
    showing.finishScript(.nothing)
    showing.command(["id": "b", "type": "injectScript", "injectScript": "second()"])
    showing.collect()
    #expect(showing.results.map { $0["id"] } == ["a"], "the next recorder ends the first")
    showing.finishScript(.value(5))
    showing.collect()
    #expect(showing.results.count == 2)
    for count in 3...4 {
      showing.load("https://shop.example/\(count)")
      showing.fire(.repeatScript)
      #expect(showing.runs.count == count && showing.runs.last?.script == "second()")
    }
    showing.handle(.scriptFinished(run: showing.runs[3].run, .value(6)))
    #expect(showing.results.count == 2 && showing.collections.count == 2)
  }

  @Test("Without record mode nothing is recorded") func noRecording() throws {
    var showing = try Showing()
    showing.run()
    showing.command(["id": "c", "type": "wait", "injectScript": "1"])
    showing.handle(.host(HostRequest(id: 1, .completeRecording(["b": 1]))))
    showing.handle(.host(HostRequest(id: 1, .captureRecordingData(["b": 1]))))
    #expect(showing.results.isEmpty && showing.shows.isEmpty && !showing.session.timers.contains(.recording))
  }

  @Test("Pictures are taken at the first page and after each interval, and sent with the address") func screenshots()
    throws
  {
    var showing = try Showing()
    showing.openUntilAsked(#"{"captureScreenshot":true,"captureScreenshotInterval":2.5}"#)
    showing.handle(.consent(isGiven: true))
    #expect(!showing.session.timers.contains(.screenshot))
    showing.load("https://shop.example/login")
    let pictures = showing.take().filter { if case .takeScreenshot(.automation, _) = $0 { true } else { false } }
    #expect(pictures.count == 1 && showing.all.contains(.startTimer(.screenshot, .seconds(2.5))))
    showing.handle(.screenshot("data:image/jpeg;base64,AA"))
    #expect(
      showing.browserStates.last == ["url": "https://shop.example/login", "screenshot": "data:image/jpeg;base64,AA"])
    showing.fire(.screenshot)
    showing.handle(.screenshot("data:image/jpeg;base64,BB"))
    #expect(
      showing.session.screenshot?.hasSuffix("BB") == true && showing.session.previousScreenshot?.hasSuffix("AA") == true
    )
    let states = showing.browserStates.count
    showing.handle(.screenshot("data:image/jpeg;base64,CC"))
    showing.fire(.screenshot)
    showing.handle(.screenshot("not a picture"))
    #expect(showing.browserStates.count == states)
    showing.load("https://other.example/")
    _ = showing.take()
    showing.fire(.screenshot)
    #expect(showing.take() == [.startTimer(.screenshot, .seconds(2.5))], "no picture of another domain")
  }

  @Test("The UI page may ask for a picture, if a flag permits it", arguments: ["{}", #"{"record":true}"#])
  func manualScreenshot(claims: String) throws {
    var showing = try Showing()
    showing.run(claims)
    showing.handle(.screenshot(nil))
    _ = showing.take()
    showing.say(#"{"type":"captureScreenshot"}"#)
    let count = showing.take().filter { if case .takeScreenshot(.modal, _) = $0 { true } else { false } }.count
    #expect(count == (claims == "{}" ? 0 : 1))
  }

  // MARK: - One result for each command

  @Test("A command that the server repeats after it reconnects is neither done nor answered again") func repeated()
    throws
  {
    var config = Showing.config
    config.sendsResultsOverSocket = true
    config.sessionUrl = "https://session.example"
    var showing = try Showing(config)
    showing.run()
    let command: JSONValue = ["id": "c", "type": "click", "injectScript": "1"]
    showing.command(command)
    func reconnect() {
      showing.handle(.socket(.disconnected))
      showing.handle(.socket(.connected))
      showing.command(command)
    }
    reconnect()
    showing.checkPage(true)
    reconnect()
    showing.handle(.scriptFinished(run: showing.runs[0].run, .value(1)))
    reconnect()
    showing.collect()
    reconnect()
    showing.answer(to: "/automation/command-result")
    reconnect()
    #expect(showing.runs.count == 1 && showing.collections.count == 1 && showing.results.count == 1)
    #expect(showing.bodies(of: "/command/response/record").count == 1)
    #expect(showing.emissions.filter { $0.name == "commandResult" }.map(\.payload) == showing.results)
    #expect(showing.emissions.filter { $0.name == "join" }.count == 6)
  }

  @Test("A result that the server does not take is sent once more after one second") func retry() throws {
    var showing = try Showing()
    showing.run()
    showing.command(["id": "c", "type": "teleport"])
    showing.answer(to: "/automation/command-result", .failed(reason: "x"))
    let timer = try #require(showing.session.timers.first { if case .retry = $0 { true } else { false } })
    #expect(showing.take().contains(.startTimer(timer, .seconds(1))))
    showing.fire(timer)
    #expect(showing.results.count == 2 && showing.results[0] == showing.results[1])
    showing.answer(to: "/automation/command-result", .received(status: 503, body: []))
    #expect(showing.session.timers.isEmpty && showing.results.count == 2)
    // Nobody has it: it is sent when the server asks again.
    showing.command(["id": "c", "type": "teleport"])
    #expect(showing.results.count == 3)
    showing.answer(to: "/automation/command-result")
    showing.command(["id": "c", "type": "teleport"])
    #expect(showing.results.count == 3)
  }

  @Test("A server that was away gets the results when it is back, each once") func reconnected() throws {
    var config = Showing.config
    config.sendsResultsOverSocket = true
    config.sessionUrl = "https://session.example"
    var showing = try Showing(config)
    showing.run()
    showing.command(["id": "c", "type": "teleport"])
    for path in ["/automation/command-result", "/command/response/record"] {
      showing.answer(to: path, .failed(reason: "x"))
    }
    showing.handle(.socket(.disconnected))
    for case .retry(let number) in showing.session.timers {
      showing.fire(.retry(request: number))
      showing.handle(.response(request: number, .failed(reason: "x")))
    }
    #expect(showing.results.count == 2)
    showing.handle(.socket(.connected))
    #expect(showing.results.count == 3 && showing.bodies(of: "/command/response/record").count == 3)
    showing.answer(to: "/automation/command-result")
    showing.command(["id": "c", "type": "teleport"])
    showing.handle(.socket(.disconnected))
    showing.handle(.socket(.connected))
    #expect(showing.results.count == 3 && Set(showing.results.map(\.text)).count == 1)
    #expect(showing.emissions.filter { $0.name == "commandResult" }.count == 1)
  }

  @Test("A server that repeats a command gets the result of this one only") func repeatedOne() throws {
    var showing = try Showing()
    showing.run()
    for id in ["a", "b"] {
      showing.command(["id": .string(id), "type": "teleport"])
      showing.answer(to: "/command-result", .failed(reason: "away"))
      let retry = showing.session.timers.first { if case .retry = $0 { true } else { false } }
      showing.fire(try #require(retry))
      showing.answer(to: "/command-result", .failed(reason: "away"))
    }
    let before = showing.results.count
    showing.command(["id": "b", "type": "teleport"])
    #expect(showing.results.dropFirst(before).map { $0["id"] } == ["b"])
    showing.handle(.socket(.disconnected))
    showing.handle(.socket(.connected))
    #expect(showing.results.dropFirst(before).map { $0["id"] } == ["b", "a"])
  }

  @Test("A request that the server refuses is not repeated; browser states never are") func noRetry() throws {
    var showing = try Showing()
    showing.run()
    showing.command(["id": "c", "type": "teleport"])
    showing.answer(to: "/automation/command-result", .received(status: 400, body: []))
    showing.answer(to: "/automation/browser-state", .failed(reason: "x"))
    #expect(showing.session.timers.isEmpty)
  }

  @Test("No more than 16 commands are open, and memory of commands ends") func bounds() throws {
    var showing = try Showing()
    showing.run()
    for index in 0..<20 { showing.command(["id": .string("w\(index)"), "type": "wait", "injectScript": "1"]) }
    #expect(showing.session.open.count == 16 && showing.results.count == 4)
    var known = BoundedSet(limit: 3)
    let texts = ["a", "b", "c", "a", "d", "e", "f", "b"]
    let areNew = texts.map { known.insert($0) }
    #expect(areNew == [true, true, true, false, true, true, true, true])
    #expect(["a", "b", "c", "d", "e", "f"].map(known.contains) == [false, true, false, false, true, true])
  }

  // MARK: - Closing

  @Test("One press asks, the second closes") func pressedTwice() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.socket(.event(name: "connection", payload: ["userActionRequired": true])))
    _ = showing.take()
    showing.handle(.closePressed)
    #expect(showing.take() == [.show(.ui), .askCloseConfirmation])
    showing.handle(.closePressed)
    let effects = showing.take()
    #expect(effects.contains(.dismiss) && effects.contains(.startTimer(.modalExit, .seconds(1))))
    #expect(!showing.session.isEnded)
    showing.handle(.socket(.acknowledged(event: "modalExit")))
    #expect(
      showing.take() == [.cancelTimer(.modalExit), .disconnectSocket, .callback(.exit(.userAction)), .end(.userAction)])
  }

  @Test("Cancelling returns to the view before, and the next press asks again") func cancelled() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.socket(.event(name: "connection", payload: ["userActionRequired": true])))
    showing.handle(.closePressed)
    showing.say(#"{"type":"CLOSE_CANCELLED"}"#)
    #expect(showing.session.visible == .automation && !showing.session.isEnded)
    _ = showing.take()
    showing.handle(.closePressed)
    #expect(showing.take() == [.show(.ui), .askCloseConfirmation])
    showing.say(#"{"type":"CLOSE_CONFIRMED"}"#)
    #expect(showing.take().contains(.dismiss))
  }

  static let reasons: [(name: String, input: PassageInput, reason: PassageExitReason)] = [
    ("window", .windowClosed, .userAction), ("host", .host(HostRequest(id: 1, .close)), .programmaticClose),
    ("close", page(#"{"type":"close"}"#), .userAction),
    ("modal", page(#"{"data":{"type":"CLOSE_MODAL"}}"#), .programmaticClose),
    ("success", page(#"{"data":{"type":"CONNECTION_SUCCESS","connectionId":"k"}}"#), .success),
    ("error", page(#"{"data":{"type":"CONNECTION_ERROR","error":"e"}}"#), .error),
  ]

  private static func page(_ text: String) -> PassageInput {
    .message(.ui, origin: "https://ui.example", isFromTopFrame: true, text: text)
  }

  @Test("Every way to close has its reason", arguments: reasons.indices) func reason(index: Int) throws {
    var showing = try Showing()
    showing.run()
    showing.handle(Self.reasons[index].input)
    showing.handle(.timer(.modalExit))
    #expect(showing.reason == Self.reasons[index].reason && showing.callbacks.last == .exit(Self.reasons[index].reason))
    // The original never calls back for it.
    let complete = showing.callbacks.contains { if case .connectionComplete = $0 { true } else { false } }
    #expect(complete == (Self.reasons[index].reason == .success))
  }

  @Test("If the page cannot ask, the first press closes") func cannotAsk() throws {
    var showing = try Showing()
    showing.run()
    showing.handle(.closeConfirmationFailed)
    #expect(!showing.all.contains(.dismiss))
    showing.handle(.closePressed)
    showing.handle(.closeConfirmationFailed)
    #expect(showing.all.contains(.dismiss))
  }

  @Test(
    "modalExit is sent once, and not waited for longer than a second",
    arguments: [
      PassageInput.timer(.modalExit), .socket(.disconnected), .socket(.failed(reason: "x")),
      .socket(.acknowledged(event: "modalExit")),
    ])
  func modalExit(input: PassageInput) throws {
    var showing = try Showing()
    showing.run()
    for _ in 0..<3 { showing.handle(.windowClosed) }
    #expect(showing.emissions.filter { $0.name == "modalExit" }.count == 1 && !showing.session.isEnded)
    showing.handle(.socket(.acknowledged(event: "other")))
    #expect(!showing.session.isEnded)
    showing.handle(input)
    #expect(showing.reason == .userAction)
    let count = showing.all.count
    showing.handle(.windowClosed)
    showing.handle(.socket(.connected))
    showing.open()
    #expect(showing.all.count == count)
  }

  @Test("Without a connection Passage closes at once") func closedBeforeConnection() throws {
    var showing = try Showing()
    showing.open()
    showing.handle(.windowClosed)
    #expect(showing.reason == .userAction && showing.emissions.isEmpty && !showing.all.contains(.disconnectSocket))
  }

  @Test("Nothing that is open when Passage closes is answered, and no timer goes on") func closedWhileBusy() throws {
    var showing = try Showing()
    showing.run(#"{"captureScreenshot":true}"#)
    showing.command(["id": "c", "type": "click", "injectScript": "1"])
    showing.checkPage(true)
    showing.handle(.windowClosed)
    #expect(showing.session.timers == [.modalExit])
    showing.handle(.scriptFinished(run: showing.runs[0].run, .value(1)))
    showing.handle(.socket(.event(name: "command", payload: ["id": "d", "type": "teleport"])))
    #expect(showing.results.isEmpty && !showing.session.isEnded)
  }
}
