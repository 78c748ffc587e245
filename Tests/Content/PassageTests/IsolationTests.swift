import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// Pages of a third party, and scripts of the server in them, try to reach what is not theirs.
  @Suite("Isolation, attacked")
  struct IsolationTests {
    @Test("a page, a frame and a sandboxed frame reach no handler, no page object and no server")
    @MainActor
    func pages() async throws {
      let session = try await ShownSession("/attack.html")
      let controller = session.controller
      let script = """
        const frame = document.createElement("iframe");
        frame.src = "\(controller.other)/frame.html";
        document.body.append(frame);
        const look = () => {
          // The page, its two frames, and the frame of the other site.
          // The page says in its document what it found; its own variables are in another world.
          const finished = document.body.dataset.finished;
          if (finished !== "4") { return setTimeout(look, 50); }
          const found = document.querySelector("#results").textContent + finished;
          window.passage.postMessage({commandId: "c-attack", type: "wait", value: found});
        };
        look();
        """
      let result = try await controller.run("c-attack", "wait", ["injectScript": .string(script)])
      #expect(result["status"] == "success")
      #expect(result["data"] == "4")
      // What the attack would have caused. The request of the UI page comes after all others.
      try await session.script(#"window.passage.sendToBackend("/last", {}); 1"#, in: .ui)
      try await controller.wait("the last request") { $0.contains { $0["path"] == "/last" } }
      #expect(controller.events("request").map { $0["path"] } == ["/last"])
      #expect(!controller.events("visit").contains { $0["path"]?.stringValue?.contains("stolen") == true })
      #expect(!controller.events("visit").contains { $0["agent"] == "stolen" })
      let states = Set(controller.events("state").compactMap { $0["body"]?["url"]?.stringValue })
      #expect(states == [controller.site + "/attack.html"])
      #expect(session.callbacks.exits.isEmpty && session.callbacks.successes.isEmpty && session.callbacks.views.isEmpty)
      // The frame of another site was there: the attack had its chance.
      #expect(controller.events("visit").contains { $0["path"] == "/frame.html" })
      try await session.close()
    }

    @Test("a script of the server has the result channel and nothing else")
    @MainActor
    func scripts() async throws {
      let session = try await ShownSession()
      let controller = session.controller
      let names = try await controller.run(
        "c-1", "injectScript", ["injectScript": "Object.keys(window.passage).sort().join()"])
      #expect(
        names["data"]
          == "getWebViewType,initialized,isAutomationWebView,isUIWebView,postMessage,webViewType")
      let handlers = try await controller.run(
        "c-2", "injectScript",
        [
          "injectScript": """
          ["passageWebView", "nfc", "bridge", "tessera", "selfBridge", "rampkit"].filter(
            (name) => { try { return window.webkit.messageHandlers[name] } catch { return false } }).join()
          """
        ])
      #expect(handlers["data"] == "passageWebView")
      _ = try await controller.run(
        "c-3", "injectScript",
        [
          "injectScript": """
          const handler = window.webkit.messageHandlers.passageWebView;
          for (const message of [
            {type: "sendToBackend", apiPath: "/stolen", data: {}}, {type: "sendToSession", path: "/stolen", data: {}},
            {type: "openLink", url: "https://stolen.example/"}, {type: "close"}, {type: "CLOSE_CONFIRMED"},
            {type: "switchWebview"}, {type: "changeAutomationUserAgent", userAgent: "stolen"},
            {type: "navigate", url: "http://127.0.0.3/stolen"},
            {type: "message", data: {type: "CONNECTION_SUCCESS", connections: [], connectionId: "stolen"}},
            {type: "message", webViewType: "ui", data: {type: "CLOSE_MODAL"}},
          ]) { handler.postMessage(message); }
          1
          """
        ])
      // Its answer comes after what the messages would have caused.
      let agent = try await controller.run("c-4", "injectScript", ["injectScript": "navigator.userAgent"])
      #expect(agent["data"] != "stolen")
      #expect(session.callbacks.exits.isEmpty && session.callbacks.successes.isEmpty && session.callbacks.views.isEmpty)
      // The UI page may: the same message from there reaches the server, with the token and without a page's headers.
      try await session.passage.injectJavaScript(
        """
        window.passage.sendToBackend("/mine", {a: 1}, {"x-intent-token": "other", cookie: "c", host: "h", "x-own": "yes"}); 1
        """, in: .ui)
      try await controller.wait("the request of the UI page") { $0.contains { $0["event"] == "request" } }
      let request = try #require(controller.events("request").first)
      // The script of the server has caused no request before.
      #expect(request["path"] == "/mine")
      #expect(request["headers"]?["x-intent-token"] == .string(PassageLab.token()))
      #expect(request["headers"]?["x-own"] == "yes")
      #expect(request["headers"]?["cookie"] == nil)
      try await session.passage.injectJavaScript(
        """
        for (const path of ["//a.example/x", "/../x", "https://a.example/x", "x", "/a/../../b", "/last"]) {
          window.passage.sendToBackend(path, {});
        }
        1
        """, in: .ui)
      try await controller.wait("the last request") { $0.contains { $0["path"] == "/last" } }
      #expect(controller.events("request").map { $0["path"] } == ["/mine", "/last"])
      try await session.close()
    }

    @Test("what a page of another origin says in the UI view reaches nobody")
    @MainActor
    func foreignUIPage() async throws {
      let session = try await ShownSession()
      try await session.passage.navigate(to: session.controller.other + "/attack.html")
      // The page and its two frames have tried everything: each attempt would end the session, or reach the server.
      try await session.controller.wait("the end of the attack") {
        $0.contains { $0["path"] == "/finished" && $0["query"] == "3" }
      }
      // The program itself reaches no page that the user did not agree to.
      await #expect(throws: Failure.self) { try await session.script("window.finished", in: .ui) }
      try await session.passage.navigate(to: session.controller.ui)
      try await session.wait(until: "location.origin === '\(session.controller.ui)'", in: .ui)
      try await session.script(#"window.passage.sendToBackend("/last", {}); 1"#, in: .ui)
      try await session.controller.wait("the last request") { $0.contains { $0["path"] == "/last" } }
      #expect(session.controller.events("request").map { $0["path"] } == ["/last"])
      #expect(!session.controller.events("visit").contains { $0["path"]?.stringValue?.contains("stolen") == true })
      #expect(session.callbacks.exits.isEmpty && session.callbacks.successes.isEmpty && session.callbacks.views.isEmpty)
      try await session.close()
    }

    @Test("nothing of a domain that the user did not agree to is sent")
    @MainActor
    func otherDomain() async throws {
      let session = try await ShownSession()
      let result = try await session.controller.run(
        "c-1", "navigate", ["args": ["url": .string(session.controller.other + "/home.html")]])
      #expect(!result.text.contains("Third Party"))
      #expect(result["pageData"]?["cookies"]?.elements.isEmpty != false)
      #expect(!session.controller.events("state").contains { $0.text.contains("127.0.0.3") })
      let cookies = try await session.controller.run(
        "c-2", "navigate",
        ["args": ["url": .string(session.controller.site + "/home.html?5")], "cookieDomains": ["127.0.0.3"]])
      #expect(cookies["status"] == "error")
      try await session.close()
    }
  }
}
