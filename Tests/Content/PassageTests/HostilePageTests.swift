import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// Pages and processes of WebKit that stand in the session's way.
  @Suite("Hostile pages")
  struct HostilePageTests {
    @Test("elements with the names of the document's functions hide neither the page nor its password")
    @MainActor
    func names() async throws {
      let session = try await ShownSession()
      let result = try await session.controller.run(
        "c-1", "injectScript",
        [
          "injectScript": """
          (() => {
            for (const name of ["querySelectorAll", "documentElement"]) {
              const image = document.createElement("img");
              image.name = name;
              document.body.append(image);
            }
            return [typeof document.querySelectorAll, document.documentElement.localName];
          })()
          """
        ])
      #expect(result["status"] == "success")
      // The names are the elements' now, for this world, too.
      #expect(result["data"] == ["object", "img"])
      let html = try #require(result["pageData"]?["html"]?.stringValue)
      #expect(html.contains("<h1>Third Party</h1>") && html.contains("value=\"********\""))
      #expect(!html.contains("correct horse"))
      try await session.close()
    }

    @Test("a process of the network that answers nothing is a failure, and holds up neither calls nor the end")
    @MainActor
    func stoppedNetwork() async throws {
      let session = try await ShownSession()
      let program = try #require(session.lab.sessionProcess)
      let processes = Descendants.named("WebKitNetworkProcess", of: program)
      try #require(processes.count == 1)
      for process in processes { kill(process, SIGSTOP) }
      defer { for process in processes { kill(process, SIGCONT) } }
      do {
        try await session.passage.clearAllCookies()
        Issue.record("The cookies were removed by a process that is stopped.")
      } catch let failure as Failure {
        // Not the host's own limit, which is longer.
        #expect(failure.cause == "The web profile did not do what was asked.")
      }
      session.passage.close()
      #expect(try await session.callbacks.exit() == .programmaticClose)
      #expect(session.controller.events("socket").count { $0["name"] == "modalExit" } == 1)
    }

    /// Has the page ask the user. The objects of the page are in another world than the script, and a window opens at
    /// a click only.
    private static func ask(_ dialog: String, in window: String) -> String {
      let code = "const place = \(window); setTimeout(() => { document.body.dataset.answer = place.\(dialog); }, 0)"
      return """
        const button = document.body.appendChild(document.createElement("button"));
        document.body.dataset.answer = "none";
        button.setAttribute("onclick", \(JSONValue.string(code).text));
        button.click();
        1
        """
    }

    @Test(
      "a dialog that is open when its view is hidden is refused, and the page goes on",
      arguments: [
        ("window", "alert('Wait.')", "undefined"), ("window", "confirm('Wait?')", "false"),
        ("window", "prompt('Wait?', 'yes')", "null"), ("window.open('')", "confirm('Wait?')", "false"),
      ])
    @MainActor
    func openDialog(window: String, dialog: String, answer: String) async throws {
      let session = try await ShownSession()
      try await session.showAutomation()
      let white = ScreenPicture.Color(0xFF, 0xFF, 0xFF)
      let page = try await session.lab.window.screen("the page") { $0.count(white) > 100_000 }.count(white)
      try await session.script(Self.ask(dialog, in: window))
      // WebKit shades what is behind its dialog, and Passage what is behind a popup.
      _ = try await session.lab.window.screen("the dialog") { $0.count(white) < page / 4 }
      try await session.lab.keepPicture("passage-dialog")
      try session.controller.emit("connection", ["userActionRequired": false])
      try await session.callbacks.wait("the UI view") { $0.views.last == .ui }
      #expect(try await session.script("document.body.dataset.answer") == .string(answer))
      // The next dialog of the hidden page is refused, too.
      let next = try await session.controller.run("c-1", "injectScript", ["injectScript": "String(confirm('?'))"])
      #expect(next["data"] == "false")
      try await session.showAutomation()
      // Nothing is left over the page. A popup is there again.
      if window == "window" { try await session.lab.see(white, atLeast: page * 9 / 10) }
      try await session.close()
    }

    @Test("a popup of a hidden page does not cover the page that the user sees")
    @MainActor
    func hiddenPopup() async throws {
      let session = try await ShownSession("/popup.html")
      let script = """
        const button = document.body.appendChild(document.createElement("button"));
        button.setAttribute("onclick", "document.title = String(openEmpty())");
        button.click();
        document.title
        """
      #expect(try await session.script(script) == "true")
      // A colour that comes after the popup fills the window.
      let green = ScreenPicture.Color(0x00, 0xC0, 0x00)
      try await session.script("document.body.style.background = '#00C000'; 1", in: .ui)
      let ui = try await session.lab.window.screen("the UI page") { $0.count(green) > 500_000 }.count(green)
      try await session.showAutomation()
      try await session.lab.see(green, atMost: ui / 10)
      #expect(try await session.script("document.title") == "true")
      try await session.close()
    }
  }
}
