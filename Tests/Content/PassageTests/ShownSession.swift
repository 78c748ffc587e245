import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

/// A session that is shown, with consent, at its controller.
@MainActor
struct ShownSession {
  let lab: PassageLab
  let controller: Controller
  let passage: Passage
  let callbacks = Callbacks()

  /// - Parameter page: the path of the third party's page.
  init(
    _ page: String = "/home.html", claims: JSONObject = ["sessionId": "s-1"], configuration: JSONObject = [:],
    remembering commands: ((Controller) -> [JSONValue])? = nil, stopAt: JSONValue? = nil,
    lab: PassageLab? = nil, controller: Controller? = nil
  ) async throws {
    // A nil coalescing operator cannot wait.
    if let lab { self.lab = lab } else { self.lab = try await PassageLab() }
    if let controller { self.controller = controller } else { self.controller = try await Controller() }
    let server = self.controller
    try server.configure(page, configuration)
    if let commands { try server.tell(["do": "remember", "commands": .array(commands(server))]) }
    if let stopAt { try server.tell(stopAt) }
    let earlier = (server.events("configuration").count, server.events("connect").count)
    passage = self.lab.passage(server)
    passage.open(callbacks.options(PassageLab.token(claims)))
    do {
      try await self.lab.answer(true, server, after: earlier.0)
      try await server.wait("the connection") { $0.count { $0["event"] == "connect" } > earlier.1 }
      // A page is there before anything is asked of it.
      try await wait(until: "location.protocol.startsWith('http') && document.readyState === 'complete'")
    } catch {
      throw LabError(description: "\(error) \(callbacks.all)")
    }
  }

  /// Ends it by the program's wish.
  func close() async throws {
    passage.close()
    _ = try await callbacks.exit()
  }

  // MARK: - Pages

  /// Loads a page of the site while the user sees the automation view.
  ///
  /// - Parameter pattern: the path of pages at whose end the UI view is shown.
  func load(_ page: String, successAddress pattern: String) async throws {
    try await showAutomation()
    let patterns: JSONValue = [
      ["urlPattern": .string(controller.site + pattern), "navigationType": "navigationEnd"]
    ]
    _ = try await controller.run(
      "load", "navigate", ["args": ["url": .string(controller.site + page), "successUrls": patterns]])
  }

  /// Begins to load a page that comes when the controller is told `release`.
  func beginHeldPage(_ command: String) async throws {
    let earlier = controller.events("visit").count { $0["path"] == "/held" }
    try controller.command(command, "navigate", ["args": ["url": .string(controller.site + "/held")]])
    try await controller.wait("the held page") { events in
      events.count { $0["event"] == "visit" && $0["path"] == "/held" } > earlier
    }
  }

  // MARK: - Signs

  /// Waits until the user sees the automation view.
  func showAutomation() async throws {
    try controller.emit("connection", ["userActionRequired": true])
    try await callbacks.wait("the automation view") { $0.views.last == .automation }
  }

  /// Runs a script in a view. What the view's page said before has reached the program when this returns.
  @discardableResult
  func script(_ script: String, in view: PassageView = .automation) async throws -> JSONValue {
    try await passage.injectJavaScript(script, in: view)
  }

  /// Waits until the expression is true in a view.
  func wait(until expression: String, in view: PassageView = .automation) async throws {
    try await passage.wait(until: expression, in: view)
  }

  /// Notes the keys that reach the document of a view.
  func noteKeys(in view: PassageView = .automation) async throws {
    let script = """
      window.keys ??= (() => {
        const keys = [];
        addEventListener("keydown", (event) => keys.push(event.key), true);
        return keys;
      })();
      1
      """
    try await self.script(script, in: view)
  }

  /// Presses keys, and a last one after them: when the page has it, those before were handled.
  func press(_ keys: [String], then last: String, in view: PassageView = .automation) async throws {
    try await noteKeys(in: view)
    try await lab.window.press(keys + [last], in: try await lab.shown())
    try await wait(until: "keys.includes('\(last)')", in: view)
  }
}

extension Passage {
  /// Waits until the expression is true in a view, which may have no page yet.
  @MainActor
  func wait(until expression: String, in view: PassageView) async throws {
    let holds = try await isTrue(within: .seconds(90), every: .milliseconds(50)) {
      // Not a promise that waits in the page: after a navigation it is pending until WebKit collects the page.
      let value = try? await injectJavaScript("Boolean(\(expression))", in: view)
      return value == true
    }
    guard holds else { throw LabError(description: "not in time: \(expression)") }
  }
}
