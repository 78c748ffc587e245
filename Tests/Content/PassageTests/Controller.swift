import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

/// The servers of a session, by `controller.py`.
final class Controller: Sendable {
  /// The addresses of the controller, of the UI page, and of two sites of third parties.
  let address: String
  let ui: String
  let site: String
  let other: String
  private let program: RunningProgram
  private let input: Pipe

  init() async throws {
    let folder = Fixtures.tests.appendingPathComponent("Content/PassageTests")
    let input = Pipe()
    self.input = input
    let program = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/python3"),
      [folder.appendingPathComponent("controller.py").path, folder.appendingPathComponent("Site").path],
      standardInput: input)
    self.program = program
    _ = await program.wait(within: 60) { $0.output.contains(#""ready""#) || !$0.isRunning }
    let ready = Self.events(program.output).first { $0["event"] == "ready" }
    guard case .integer(let port)? = ready?["controller"], case .integer(let ui)? = ready?["ui"],
      case .integer(let site)? = ready?["site"],
      case .integer(let other)? = ready?["other"]
    else { throw LabError(description: "the controller did not start: \(program.errors)") }
    address = "http://127.0.0.1:\(port)"
    self.ui = "http://127.0.0.1:\(ui)"
    self.site = "http://127.0.0.2:\(site)"
    self.other = "http://127.0.0.3:\(other)"
  }

  deinit { program.send(signal: SIGKILL) }

  var errors: String { program.errors }

  // MARK: - What happened

  var events: [JSONValue] { Self.events(program.output) }

  func events(_ name: String) -> [JSONValue] { events.filter { $0["event"]?.stringValue == name } }

  private static func events(_ output: String) -> [JSONValue] {
    output.split(separator: "\n").compactMap { try? JSONValue(text: String($0)) }
  }

  /// Waits until the condition is true for the events so far.
  func wait(
    _ what: String, within seconds: Double = 120, until condition: @Sendable ([JSONValue]) -> Bool
  ) async throws {
    let isThere = await program.wait(within: seconds) { condition(Self.events($0.output)) }
    if !isThere {
      throw LabError(
        description: "not in time: \(what); \(program.output.suffix(3_000)) \(program.errors.suffix(2_000))")
    }
  }

  /// The results of a command that came over http.
  func results(_ id: String) -> [JSONValue] {
    events("result").filter { $0["id"]?.stringValue == id && $0["way"] == "http" }.compactMap { $0["body"] }
  }

  /// Waits for the result of a command.
  func result(_ id: String, within seconds: Double = 90) async throws -> JSONValue {
    try await wait("the result \(id)", within: seconds) { events in
      events.contains { $0["event"] == "result" && $0["way"] == "http" && $0["id"]?.stringValue == id }
    }
    return try #require(results(id).first)
  }

  // MARK: - What it does

  func tell(_ task: JSONValue) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((task.text + "\n").utf8))
  }

  func emit(_ event: String, _ payload: JSONValue) throws {
    try tell(["do": "emit", "event": .string(event), "payload": payload])
  }

  func command(_ id: String, _ type: String, _ more: JSONObject = [:]) throws {
    var members: JSONObject = ["id": .string(id), "type": .string(type)]
    for member in more.members { members[member.name] = member.value }
    try emit("command", .object(members))
  }

  /// Sends a command, and waits for its result.
  func run(_ id: String, _ type: String, _ more: JSONObject = [:]) async throws -> JSONValue {
    try command(id, type, more)
    return try await result(id)
  }

  func configure(_ page: String, _ more: JSONObject = [:]) throws {
    var configuration: JSONObject = [
      "integration": ["url": .string(site + page), "name": "Third Party", "slug": "third"],
      "cookieDomains": ["127.0.0.2"],
    ]
    for member in more.members { configuration[member.name] = member.value }
    try tell(["do": "configure", "configuration": .object(configuration)])
  }
}
