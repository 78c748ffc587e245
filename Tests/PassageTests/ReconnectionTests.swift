import Foundation
import Passage
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension PassageTests {
  /// The server goes away and comes back, at every event of a session in turn.
  @Suite("Reconnection")
  struct ReconnectionTests {
    private static let commands: [JSONValue] = [
      ["id": "r-1", "type": "injectScript", "injectScript": "1 + 1"],
      [
        "id": "r-2", "type": "click",
        "injectScript": "document.querySelector('#count').click(); document.querySelector('#count').textContent",
      ],
      ["id": "r-3", "type": "navigate", "args": ["url": "SITE/home.html?r"]],
      ["id": "r-4", "type": "input", "injectScript": "document.querySelector('#name').value = 'x'"],
      ["id": "r-5", "type": "nothing"],
    ]

    /// The events of an undisturbed session, which the server counts: the configuration, the connection, each command,
    /// each result (over http and the socket), each state of the browser, and what the socket says.
    @Test("an undisturbed session has an event for each stop, or two less")
    @MainActor
    func undisturbed() async throws {
      let session = try await ShownSession(stopping: 1_000, Self.commands)
      try await session.controller.wait("all results") { events in
        events.count { $0["event"] == "result" } == 2 * Self.commands.count
      }
      try await Task.sleep(for: .seconds(2))
      let numbers = session.controller.events.compactMap { $0["number"] }
      #expect((20...Self.events.count).contains(numbers.count), "\(numbers.count)")
      try await session.close()
    }

    private static let events = 0..<24

    @Test("each command has one result over each way at most, and none is lost", arguments: events)
    @MainActor
    func stoppedAt(event: Int) async throws {
      let session = try await ShownSession(stopping: event, Self.commands)
      let controller = session.controller
      try await controller.wait("all results", within: 120) { events in
        Self.commands.allSatisfy { command in
          events.contains { $0["event"] == "result" && $0["id"] == command["id"] }
        }
      }
      // What would come twice has its time to come.
      try await Task.sleep(for: .seconds(3))
      for command in Self.commands {
        let id = try #require(command["id"]?.stringValue)
        for way in ["http", "socket"] {
          let count = controller.events("result").count { $0["id"] == .string(id) && $0["way"] == .string(way) }
          #expect(count <= 1, "\(id) over \(way) after a stop at \(event): \(count)")
        }
      }
      // The click was done once.
      let clicks = controller.events("result").filter { $0["id"] == "r-2" }.compactMap { $0["body"]?["data"] }
      #expect(Set(clicks.map(\.text)) == ["\"1\""])
      #expect(controller.events("started").count == (controller.events("stopped").count + 1))
      #expect(session.callbacks.exits.isEmpty)
      try await session.close()
      #expect(controller.events("socket").count { $0["name"] == "modalExit" } <= 1)
    }
  }
}

extension ShownSession {
  /// A session whose server stops at the event with this number, and starts again after a second.
  init(stopping event: Int, _ commands: [JSONValue]) async throws {
    let site = { (controller: Controller) in
      commands.map { (try? JSONValue(text: $0.text.replacing("SITE", with: controller.site))) ?? $0 }
    }
    try await self.init(
      remembering: site, stopAt: ["do": "stopAt", "number": .integer(Int64(event)), "for": 1])
  }
}
