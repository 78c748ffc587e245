import Foundation
import Passage
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension PassageTests {
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
  }
}
