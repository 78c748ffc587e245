import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// Whole sessions: the built program, local pages, and a controller that others wrote.
  @Suite("Sessions")
  struct SessionTests {
    @Test("a session from consent to success: every command has its result, and the program is told in order")
    @MainActor
    func whole() async throws {
      let session = try await ShownSession()
      let controller = session.controller
      #expect(controller.events("connect").first?["query"]?.stringValue?.contains("agentName=tessera-passage") == true)
      #expect(controller.events("configuration").count == 1)

      let navigated = try await controller.run(
        "c-1", "navigate", ["args": ["url": .string(controller.site + "/home.html?2")]])
      #expect(navigated["status"] == "success")
      // A page that is there already is not loaded a second time.
      let there = try await controller.run(
        "c-13", "navigate", ["args": ["url": .string(controller.site + "/home.html?2")]])
      #expect(there["status"] == "success")
      #expect(navigated["pageData"]?["url"]?.stringValue == controller.site + "/home.html?2")
      let html = try #require(navigated["pageData"]?["html"]?.stringValue)
      #expect(html.contains("<h1>Third Party</h1>"))
      #expect(!html.contains("correct horse"))
      #expect(navigated["pageData"]?["localStorage"] == [["name": "theme", "value": "dark"]])
      #expect(navigated["pageData"]?["sessionStorage"] == [["name": "step", "value": "1"]])
      let cookies = navigated["pageData"]?["cookies"]?.elements.compactMap { $0["name"]?.stringValue } ?? []
      #expect(cookies.sorted() == ["session", "visible"])

      let clicked = try await controller.run(
        "c-2", "click",
        ["injectScript": "document.querySelector('#count').click(); document.querySelector('#count').textContent"])
      #expect(clicked["data"] == "1")
      let input = try await controller.run(
        "c-3", "input", ["injectScript": "(document.querySelector('#name').value = 'Ada').length"])
      #expect(input["data"] == 3)
      let promise = try await controller.run(
        "c-4", "injectScript", ["injectScript": "new Promise((done) => setTimeout(() => done({late: true}), 200))"])
      #expect(promise["data"] == ["late": true])
      let message = try await controller.run(
        "c-5", "wait",
        [
          "injectScript": """
          setTimeout(() => window.passage.postMessage({commandId: "c-5", type: "wait", value: [1, "two"]}), 100);
          """
        ])
      #expect(message["data"] == [1, "two"])
      let thrown = try await controller.run(
        "c-6", "injectScript", ["injectScript": "(() => { throw new Error('no') })()"])
      #expect(thrown["status"] == "error")
      #expect(thrown["error"]?.stringValue?.contains("no") == true)
      #expect(thrown["pageData"] == nil)
      let missing = try await controller.run("c-7", "click")
      #expect(missing["error"] == "No script provided for execution")
      let unknown = try await controller.run("c-8", "dance")
      #expect(unknown["data"] == ["errorType": "unsupported_command", "commandType": "dance"])
      let refused = try await controller.run("c-9", "navigate", ["args": ["url": "http://127.0.0.2:9/"]])
      #expect(refused["status"] == "error")
      let nowhere = try await controller.run("c-10", "navigate")
      #expect(nowhere["error"] == "No URL provided")
      try controller.emit("command", ["type": "navigate"])

      let again = try await controller.run(
        "c-12", "navigate", ["args": ["url": .string(controller.site + "/home.html?6")]])
      #expect(again["status"] == "success")
      #expect(controller.events("visit").count { $0["query"] == "2" } == 1)

      try controller.emit("connection", ["id": "k-1", "userActionRequired": true])
      try await session.callbacks.wait("the automation view") { $0.views.last == .automation }
      try await session.lab.keepPicture("passage-automation")
      try controller.emit("PROMPT_COMPLETE", ["key": "k", "value": "v"])
      try controller.emit(
        "connection",
        ["id": "k-1", "status": "data_available", "progress": 100, "data": [["structuredData": 1, "extra": 2]]])
      let done = try await controller.run("c-11", "done", ["args": ["success": true, "data": ["connectionId": "k-1"]]])
      #expect(done["status"] == "success")
      try await session.callbacks.wait("the success") { !$0.successes.isEmpty }
      let success = try #require(session.callbacks.successes.first)
      #expect(success.connectionId == "k-1")
      #expect(success.history == [PassageHistoryItem(structuredData: 1, additionalData: ["extra": 2])])
      try await session.callbacks.wait("the UI view") { $0.views == [.automation, .ui] }
      try await controller.wait("the page for the end") { events in
        events.contains { $0["event"] == "page" && $0["query"]?.stringValue?.contains("success=true") == true }
      }
      try await session.lab.keepPicture("passage-done")
      try await session.close()
      // Statistics of use are off, and the UI page asked for no request.
      #expect(controller.events("request").isEmpty)
      #expect(session.callbacks.exits == [.programmaticClose])
      for number in 1...13 { #expect(controller.results("c-\(number)").count == 1, "c-\(number)") }
      #expect(Set(controller.events("result").compactMap { $0["id"]?.stringValue }).count == 13)
      let exits = controller.events("socket").filter { $0["name"] == "modalExit" }
      #expect(exits.count == 1)

      let log = try await session.lab.run(["log", "--json"])
      let sent = log.output.split(separator: "\n").compactMap { try? JSONValue(text: String($0)) }
      #expect(sent.count { $0["kind"] == "commandResult" } == 13)
      #expect(
        !log.output.contains("correct horse") && !log.output.contains("s-1") && !log.output.contains("Third Party"))
      let table = try await session.lab.run(["log"])
      #expect(table.output.contains("127.0.0.1") && table.output.contains("2 cookies"))
    }

    @Test("a user who does not agree: no page of the third party is loaded, and nothing is sent")
    @MainActor
    func refusal() async throws {
      let session = try await AskedSession()
      let controller = session.controller
      try await session.lab.keepPicture("passage-consent")
      try await session.lab.window.press(["Return"], in: session.window)
      #expect(try await session.callbacks.exit() == .userAction)
      #expect(controller.events("visit").isEmpty && controller.events("connect").isEmpty)
      #expect(controller.events("result").isEmpty && controller.events("state").isEmpty)
    }

    @Test("a second open is ignored, and the first callbacks live")
    @MainActor
    func doubleOpen() async throws {
      let session = try await ShownSession()
      let second = Callbacks()
      session.passage.open(second.options("other"))
      #expect(session.passage.hasActiveWebViews())
      try session.controller.emit("PROMPT_COMPLETE", ["key": "k", "value": "v"])
      try await session.callbacks.wait("the prompt") { $0.all.contains(.promptComplete(.init(key: "k", value: "v"))) }
      try await session.close()
      #expect(second.all.isEmpty)
      #expect(session.callbacks.exits == [.programmaticClose])
      #expect(!session.passage.hasActiveWebViews())
      // Another one begins anew.
      let third = Callbacks()
      session.passage.open(third.options(PassageLab.token()))
      try await session.controller.wait("another configuration") { $0.count { $0["event"] == "configuration" } == 2 }
      session.passage.close()
      #expect(try await third.exit() == .programmaticClose)
    }

    @Test("a process that is killed is one error and one exit, and the next session works")
    @MainActor
    func killed() async throws {
      let session = try await ShownSession()
      let process = try #require(session.lab.sessionProcess)
      kill(process, SIGKILL)
      #expect(try await session.callbacks.exit() == .error)
      #expect(session.callbacks.errors.last?.error.contains("ended unexpectedly, with the signal 9") == true)
      let next = Callbacks()
      session.passage.open(next.options(PassageLab.token()))
      try await session.controller.wait("another configuration") { $0.count { $0["event"] == "configuration" } == 2 }
      session.passage.close()
      #expect(try await next.exit() == .programmaticClose)
    }

    @Test("the server's token reaches the configured servers, and the sites never")
    @MainActor
    func token() async throws {
      let session = try await ShownSession()
      #expect(session.controller.events("configuration").first?["token"] == .string(PassageLab.token()))
      #expect(session.controller.events("configuration").first?["agent"]?.stringValue?.contains("WebKit") == true)
      try await session.controller.wait("the visit") { $0.contains { $0["event"] == "visit" } }
      for visit in session.controller.events("visit") { #expect(!visit.text.contains(PassageLab.token())) }
      try await session.close()
    }

    @Test("cookies: set, get, by domain, all; and they stay for the next session")
    @MainActor
    func cookies() async throws {
      let session = try await ShownSession()
      let (passage, site) = (session.passage, session.controller.site)
      var names: [String] { get async throws { try await passage.getCookies(for: site).map(\.name).sorted() } }
      try await session.controller.wait("the visit") { $0.contains { $0["event"] == "visit" } }
      _ = try await session.controller.run("c-1", "injectScript", ["injectScript": "1"])
      #expect(try await names == ["session", "visible"])
      try await passage.setCookie(
        PassageCookie(name: "own", value: "1", domain: "127.0.0.2", path: "/", expires: 4_000_000_000), for: site)
      try await passage.setCookie(
        PassageCookie(name: "else", value: "1", domain: "127.0.0.3", path: "/"), for: session.controller.other)
      #expect(try await names == ["own", "session", "visible"])
      try await session.close()
      // No session is shown; the calls start the program for themselves.
      #expect(try await names == ["own", "visible"])
      try await passage.clearCookies(forDomains: ["127.0.0.2"])
      #expect(try await names.isEmpty)
      try await passage.setCookie(
        PassageCookie(name: "a", value: "1", domain: "127.0.0.2", path: "/", expires: 4_000_000_000), for: site)
      try await passage.clearAllCookies()
      #expect(try await names.isEmpty)
    }

    @Test("the user closes: one press asks the page, cancelled returns to the view before, two presses close")
    @MainActor
    func closing() async throws {
      let session = try await ShownSession()
      let window = try await session.lab.shown()
      try await session.showAutomation()
      try await session.passage.injectJavaScript(
        "window.showCloseConfirmation = () => { window.asked += 1 }; 1", in: .ui)
      try await session.lab.clickClose(in: window)
      try await session.callbacks.wait("the UI view") { $0.views == [.automation, .ui] }
      try await session.wait(until: "window.asked > 0", in: .ui)
      #expect(try await session.script("window.asked", in: .ui) == 1)
      #expect(session.callbacks.exits.isEmpty)
      try await session.passage.injectJavaScript(
        "window.webkit.messageHandlers.passageWebView.postMessage({type: 'CLOSE_CANCELLED'}); 1", in: .ui)
      try await session.callbacks.wait("the automation view again") { $0.views == [.automation, .ui, .automation] }
      try await session.lab.clickClose(in: window)
      try await session.callbacks.wait("the UI view again") { $0.views.count == 4 }
      try await session.lab.clickClose(in: window)
      #expect(try await session.callbacks.exit() == .userAction)
      #expect(session.controller.events("socket").count { $0["name"] == "modalExit" } == 1)
    }

    @Test("a success address shows the UI view; the address is matched as a glob")
    @MainActor
    func successAddress() async throws {
      let session = try await ShownSession()
      try await session.load("/home.html?3", successAddress: "/ne*.html")
      #expect(session.callbacks.views == [.automation])
      _ = try await session.controller.run(
        "c-2", "click", ["injectScript": "document.querySelector('#next').click(); 1"])
      try await session.callbacks.wait("the UI view") { $0.views == [.automation, .ui] }
      try await session.close()
    }

    @Test("a server that does not confirm the goodbye does not hold up the end")
    @MainActor
    func unconfirmedGoodbye() async throws {
      let session = try await ShownSession()
      try session.controller.tell(["do": "keepQuiet", "name": "modalExit"])
      // The controller reads its tasks in order.
      _ = try await session.controller.run("c-1", "injectScript", ["injectScript": "1"])
      try await session.close()
      #expect(session.callbacks.exits == [.programmaticClose])
      #expect(session.controller.events("socket").count { $0["name"] == "modalExit" } == 1)
    }
  }
}
