import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// Scripts in pages that load, change their address, and end (Passage.md, rules 12 and 18).
  @Suite("Pages and scripts")
  struct PageTests {
    @Test("the global script runs in every page, with a WeakMap that takes all keys for a second")
    @MainActor
    func globalScript() async throws {
      let script = """
        window.runs = (window.runs ?? 0) + 1;
        const map = new WeakMap([["a", 1]]), key = {};
        map.set(7, "seven").set(key, "object");
        window.tolerated = [map.get("a"), map.get(7), map.has(7), map.get(key), map.delete(7), map.has(7)].join();
        """
      let session = try await ShownSession(configuration: ["globalJavascript": .string(script)])
      let controller = session.controller
      let restored = """
        (() => { try { new WeakMap().set(7, 1); return false; } catch { return new WeakMap([[window, 1]]).has(window); } })()
        """
      for page in ["/home.html", "/home.html?1", "/next.html"] {
        _ = try await controller.run("go \(page)", "navigate", ["args": ["url": .string(controller.site + page)]])
        let seen = try await controller.run(
          "see \(page)", "injectScript",
          ["injectScript": "[location.pathname + location.search, runs, tolerated].join(' ')"])
        #expect(seen["data"] == .string("\(page) 1 1,seven,true,object,true,false"))
        try await session.wait(until: restored)
      }
      // The page itself has neither: its own world is another one.
      let page = try await session.script(
        """
        const clicker = document.body.appendChild(document.createElement("button"));
        clicker.setAttribute("onclick", "document.title = [typeof runs, typeof tolerated].join()");
        clicker.click();
        document.title
        """)
      #expect(page == "undefined,undefined")
      try await session.close()
    }

    @Test("each change of the address by the page is told once, and reaches a success address")
    @MainActor
    func clientNavigation() async throws {
      let session = try await ShownSession()
      try await session.load("/home.html?4", successAddress: "/replaced")
      // The page object of the scripts takes the time for each message: that is noted, with the address.
      try await session.script(
        """
        const now = Date.now;
        window.told = [];
        Date.now = () => {
          told.push(location.href.slice(location.origin.length));
          return now();
        };
        const clicker = document.body.appendChild(document.createElement("button"));
        window.inPage = (text) => { clicker.setAttribute("onclick", text); clicker.click(); };
        1
        """)
      func expect(_ told: [String], _ views: [PassageView]) async throws {
        try await session.wait(until: "told.length >= \(told.count)")
        // The command's result follows what the page told before.
        let result = try await session.controller.run(
          "see \(told.count)", "injectScript", ["injectScript": "told.join()"])
        #expect(result["data"] == .string(told.joined(separator: ",")))
        #expect(session.callbacks.views == views)
      }
      var told = ["/pushed"]
      try await session.script("inPage(\"history.pushState({}, '', '/pushed')\"); 1")
      try await expect(told, [.automation])
      told.append("/replaced")
      try await session.script("inPage(\"history.replaceState({}, '', '/replaced')\"); 1")
      try await session.callbacks.wait("the UI view") { $0.views == [.automation, .ui] }
      try await expect(told, [.automation, .ui])
      told.append("/replaced#part")
      try await session.script("inPage(\"location.hash = 'part'\"); 1")
      try await expect(told, [.automation, .ui])
      told.append("/replaced")
      try await session.script("inPage('history.back()'); 1")
      try await expect(told, [.automation, .ui])
      told.append("/home.html?4")
      try await session.script("inPage('history.back()'); 1")
      try await expect(told, [.automation, .ui])
      // A script of the server does the same in its own world. WebKit tells of it, and the page object does not.
      try await session.script("history.pushState({}, '', '/own'); 1")
      try await expect(told, [.automation, .ui])
      let address = try await session.controller.run("c-2", "injectScript", ["injectScript": "1"])
      #expect(address["pageData"]?["url"] == .string(session.controller.site + "/own"))
      try await session.close()
    }

    @Test("a page with the status of an error is shown, as in a browser")
    @MainActor
    func errorPage() async throws {
      let session = try await ShownSession()
      let missing = session.controller.site + "/missing.html"
      let loaded = try await session.controller.run("c-1", "navigate", ["args": ["url": .string(missing)]])
      #expect(loaded["status"] == "success" && loaded["pageData"]?["url"] == .string(missing), "\(loaded.text)")
      #expect(loaded["pageData"]?["html"]?.stringValue?.contains("<title>none</title>") == true)
      try await session.close()
    }

    @Test("a result that is longer than the server's handshake allows does not end the connection")
    @MainActor
    func longResult() async throws {
      let session = try await ShownSession()
      let controller = session.controller
      let long = try await controller.run("c-1", "injectScript", ["injectScript": "'x'.repeat(400000)"])
      #expect(long["data"]?.stringValue?.count == 400_000)
      let short = try await controller.run("c-2", "injectScript", ["injectScript": "1 + 1"])
      #expect(short["data"] == 2)
      try await controller.wait("the short result over the socket") { events in
        events.contains { $0["event"] == "result" && $0["id"] == "c-2" && $0["way"] == "socket" }
      }
      #expect(controller.events("result").filter { $0["id"] == "c-1" }.map { $0["way"] } == ["http"])
      #expect(controller.events("connect").count == 1)
      try await session.close()
    }

    @Test("a script waits for the page that is being loaded")
    @MainActor
    func loadingPage() async throws {
      let session = try await ShownSession()
      let controller = session.controller
      try await session.beginHeldPage("c-1")
      try controller.command("c-2", "injectScript", ["injectScript": "location.pathname"])
      // A command that needs no page is answered before.
      _ = try await controller.run("c-3", "dance")
      #expect(controller.results("c-2").isEmpty && controller.results("c-1").isEmpty)
      try controller.tell(["do": "release"])
      #expect(try await controller.result("c-2")["data"] == "/held")
      #expect(try await controller.result("c-1")["status"] == "success")
      try await session.close()
    }

    @Test("views that the program empties have no page, and the same page is loaded again")
    @MainActor
    func emptied() async throws {
      let session = try await ShownSession()
      let home = session.controller.site + "/home.html"
      let before = session.controller.events("visit").count { $0["path"] == "/home.html" }
      for (number, empty) in [session.passage.resetWebViewURLs, session.passage.clearWebViewState].enumerated() {
        try await empty()
        let loaded = try await session.controller.run("c-\(number)", "navigate", ["args": ["url": .string(home)]])
        #expect(loaded["status"] == "success" && loaded["pageData"]?["url"] == .string(home), "\(loaded.text)")
        #expect(loaded["pageData"]?["html"]?.stringValue?.contains("Third Party") == true)
        #expect(session.controller.events("visit").count { $0["path"] == "/home.html" } == before + number + 1)
      }
      #expect(try await session.script("location.href", in: .ui) == "about:blank")
      try await session.close()
    }

    @Test("a page that comes while the views are emptied is neither shown nor in the way of the next one")
    @MainActor
    func emptiedWhileLoading() async throws {
      let session = try await ShownSession()
      let controller = session.controller
      let home = controller.site + "/home.html"
      for number in 0..<3 {
        try await session.beginHeldPage("held-\(number)")
        try await session.passage.resetWebViewURLs()
        #expect(try await controller.result("held-\(number)")["status"] == "error")
        let loaded = try await controller.run("c-\(number)", "navigate", ["args": ["url": .string(home)]])
        #expect(loaded["status"] == "success" && loaded["pageData"]?["url"] == .string(home), "\(loaded.text)")
        #expect(loaded["pageData"]?["html"]?.stringValue?.contains("Third Party") == true)
      }
      try await session.close()
    }

    @Test("a page's process that is killed is one error for its command, and a new view takes the next one")
    @MainActor
    func killedPages() async throws {
      let session = try await ShownSession()
      let controller = session.controller
      try controller.command(
        "c-1", "wait",
        ["injectScript": "document.title = 'waiting'; window.passage.postMessage; new Promise(() => {}); 1"])
      try await session.wait(until: "document.title === 'waiting'")
      // Other tests have pages, too.
      let program = try #require(session.lab.sessionProcess)
      let processes = Descendants.named("WebKitWebProcess", of: program)
      #expect(processes.count >= 2)
      for process in processes { kill(process, SIGKILL) }
      let failed = try await controller.result("c-1")
      #expect(failed["status"] == "error")
      #expect(failed["pageData"] == nil)
      #expect(session.callbacks.exits.isEmpty)
      let next = try await controller.run(
        "c-2", "navigate", ["args": ["url": .string(controller.site + "/home.html?anew")]])
      #expect(next["status"] == "success")
      #expect(next["pageData"]?["html"]?.stringValue?.contains("Third Party") == true)
      try await session.wait(until: "document.title === 'Connect'", in: .ui)
      try await session.showAutomation()
      #expect(Set(Descendants.named("WebKitWebProcess", of: program)).isDisjoint(with: processes))
      #expect(controller.events("result").count { $0["id"] == "c-1" && $0["way"] == "http" } == 1)
      try await session.close()
    }

    @Test("a page that hangs is ended, and the next one works")
    @MainActor
    func hangingPage() async throws {
      let session = try await ShownSession()
      let controller = session.controller
      try await session.showAutomation()
      try controller.command(
        "c-1", "wait",
        [
          "injectScript": """
          const request = new XMLHttpRequest();
          request.open("GET", "/next.html?hangs", false);
          request.send();
          window.passage.postMessage({commandId: "other", type: "wait", value: 1});
          while (true) {}
          """
        ])
      try await controller.wait("the page that hangs") { $0.contains { $0["query"] == "hangs" } }
      // A page has to answer when the user presses a key.
      try await session.lab.window.press(["a"], in: try await session.lab.shown())
      #expect(try await controller.result("c-1")["status"] == "error")
      let next = try await controller.run(
        "c-2", "navigate", ["args": ["url": .string(controller.site + "/home.html?after")]])
      #expect(next["status"] == "success", "\(next.text)")
      try await session.close()
    }
  }
}
