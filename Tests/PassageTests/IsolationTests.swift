import Foundation
import Passage
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension PassageTests {
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
          const found = document.querySelector("#results").textContent + document.body.dataset.finished;
          window.passage.postMessage({commandId: "c-attack", type: "wait", value: found});
        };
        setTimeout(look, 3000);
        """
      let result = try await controller.run("c-attack", "wait", ["injectScript": .string(script)])
      #expect(result["status"] == "success")
      #expect(result["data"] == "4")
      // What the attack would have caused.
      #expect(controller.events("request").isEmpty)
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
      try await Task.sleep(for: .seconds(2))
      #expect(controller.events("request").isEmpty)
      #expect(session.callbacks.exits.isEmpty && session.callbacks.successes.isEmpty && session.callbacks.views.isEmpty)
      let agent = try await controller.run("c-4", "injectScript", ["injectScript": "navigator.userAgent"])
      #expect(agent["data"] != "stolen")
      // The UI page may: the same message from there reaches the server, with the token and without a page's headers.
      try await session.passage.injectJavaScript(
        """
        window.passage.sendToBackend("/mine", {a: 1}, {"x-intent-token": "other", cookie: "c", host: "h", "x-own": "yes"}); 1
        """, in: .ui)
      try await controller.wait("the request of the UI page") { $0.contains { $0["event"] == "request" } }
      let request = try #require(controller.events("request").first)
      #expect(request["path"] == "/mine")
      #expect(request["headers"]?["x-intent-token"] == .string(PassageLab.token()))
      #expect(request["headers"]?["x-own"] == "yes")
      #expect(request["headers"]?["cookie"] == nil)
      try await session.passage.injectJavaScript(
        """
        for (const path of ["//a.example/x", "/../x", "https://a.example/x", "x", "/a/../../b"]) {
          window.passage.sendToBackend(path, {});
        }
        1
        """, in: .ui)
      try await Task.sleep(for: .seconds(1))
      #expect(controller.events("request").count == 1)
      try await session.close()
    }

    @Test("what a page of another origin says in the UI view reaches nobody")
    @MainActor
    func foreignUIPage() async throws {
      let session = try await ShownSession()
      try await session.passage.navigate(to: session.controller.other + "/attack.html")
      try await session.controller.wait("the page") { $0.contains { $0["path"] == "/attack.html" } }
      try await Task.sleep(for: .seconds(3))
      // The page and its two frames have tried everything: each attempt would end the session, or reach the server.
      #expect(try await session.passage.injectJavaScript("window.finished", in: .ui) == 3)
      #expect(session.controller.events("request").isEmpty)
      #expect(!session.controller.events("visit").contains { $0["path"]?.stringValue?.contains("stolen") == true })
      #expect(session.callbacks.exits.isEmpty && session.callbacks.successes.isEmpty && session.callbacks.views.isEmpty)
      try await session.close()
    }

    @Test("nothing of a domain that the person did not agree to is sent")
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
