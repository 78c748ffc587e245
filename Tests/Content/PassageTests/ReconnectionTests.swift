import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// The server goes away and comes back, at every event of a session in turn.
  @Suite("Reconnection")
  struct ReconnectionTests {
    private static let commands: [JSONValue] = [
      ["id": "r-1", "type": "injectScript", "injectScript": "1 + 1"],
      ["id": "r-2", "type": "click", "injectScript": "document.querySelector('#count').click(); 1"],
      ["id": "r-3", "type": "navigate", "args": ["url": "SITE/home.html?r"]],
      ["id": "r-4", "type": "input", "injectScript": "document.querySelector('#name').value = 'x'"],
      ["id": "r-5", "type": "nothing"],
    ]

    /// What the server sees or does in a session, after each of which it stops once. Only the states of the program's
    /// window, which depend on the desktop, are left out.
    private static let stops: [Stop] = {
      var stops: [Stop] = [
        Stop(["event": "configuration"]), Stop(["event": "connect"]), Stop(["event": "socket", "name": "join"]),
      ]
      // The address of each page is told twice: when it is asked for, and when it comes.
      stops += (0..<4).map { Stop(["event": "state"], occurrence: $0) }
      for number in 1...5 {
        let id = JSONValue.string("r-\(number)")
        stops.append(Stop(["event": "sent", "id": id]))
        stops += ["http", "socket"].map { Stop(["event": "result", "id": id, "way": .string($0)]) }
      }
      return stops
    }()

    /// Three sessions at a time: most of their time they wait for the server.
    private static let groups = stride(from: 0, to: stops.count, by: 3).map {
      Array(stops[$0..<min($0 + 3, stops.count)])
    }

    @Test("each command has one result over each way at most, none is lost, and none is done twice", arguments: groups)
    @MainActor
    func stopped(at stops: [Stop]) async throws {
      try await withThrowingTaskGroup { group in
        for stop in stops { group.addTask { try await Self.check(stop) } }
        try await group.waitForAll()
      }
    }

    @MainActor
    private static func check(_ stop: Stop) async throws {
      let session = try await ShownSession(stoppingAt: stop, commands)
      let controller = session.controller
      try await controller.wait("all results after the stop at \(stop)", within: 180) { events in
        let restart = events.lastIndex { $0["event"] == "started" } ?? 0
        return events.count { $0["event"] == "started" } == 2
          && events[restart...].contains { $0["event"] == "connect" }
          && commands.allSatisfy { command in
            events.contains { $0["event"] == "result" && $0["id"] == command["id"] }
          }
      }
      // Its results follow those that wait, over both ways. It says how often the button was clicked.
      let clicks = try await controller.run(
        "r-6", "injectScript", ["injectScript": "localStorage.getItem('clicks')"])
      #expect(clicks["data"] == "1", "\(stop)")
      try await controller.wait("the last result over the socket") { events in
        events.contains { $0["id"] == "r-6" && $0["way"] == "socket" }
      }
      #expect(session.callbacks.exits.isEmpty, "\(stop)")
      try await session.close()
      #expect(controller.events("stopped").count == 1, "\(stop)")
      #expect(controller.events("started").count == 2, "\(stop)")
      for number in 1...6 {
        for way in ["http", "socket"] {
          let count = controller.events("result").count {
            $0["id"]?.stringValue == "r-\(number)" && $0["way"]?.stringValue == way
          }
          #expect(count <= 1, "r-\(number) over \(way) after the stop at \(stop): \(count)")
        }
      }
      // What left the machine is in the log: one result for each command.
      let log = try await session.lab.run(["log", "--json"])
      let sent = log.output.split(separator: "\n").compactMap { try? JSONValue(text: String($0)) }
      #expect(sent.count { $0["kind"] == "commandResult" } == 6, "\(stop)")
      #expect(controller.events("socket").count { $0["name"] == "modalExit" } == 1, "\(stop)")
    }
  }
}

/// The moment at which the server stops: after its event number `occurrence`, from 0, with these members.
struct Stop: Sendable, CustomTestStringConvertible, CustomStringConvertible {
  let members: JSONObject
  let occurrence: Int

  init(_ members: JSONObject, occurrence: Int = 0) {
    self.members = members
    self.occurrence = occurrence
  }

  var description: String { "\(JSONValue.object(members).text) \(occurrence)" }
  var testDescription: String { description }

  /// The server comes back at the same port after a second.
  var task: JSONValue {
    ["do": "stopAt", "members": .object(members), "occurrence": .integer(Int64(occurrence)), "for": 1]
  }
}

extension ShownSession {
  /// A session whose server sends the commands, and stops once.
  init(stoppingAt stop: Stop, _ commands: [JSONValue]) async throws {
    let commands = { (controller: Controller) in
      commands.map { (try? JSONValue(text: $0.text.replacing("SITE", with: controller.site))) ?? $0 }
    }
    try await self.init(remembering: commands, stopAt: stop.task)
  }
}
