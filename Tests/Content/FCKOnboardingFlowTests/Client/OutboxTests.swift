import Foundation
import Logging
import TesseraHTTPClient
import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingClient

/// The files of the outbox.
@Suite struct OutboxTests {
  private static func entry(_ name: String, _ kind: FCKAPIClient.Report = .event) -> OutboxEntry {
    OutboxEntry(kind, ["name": .string(name)], at: ClientLab.start)
  }

  private static let id = "0f8fad5b-d9cb-469f-a165-70867728950e"

  private static func names(_ outbox: Outbox) throws -> [String?] {
    try outbox.names().map { try outbox.entry($0)?.body["name"]?.stringValue }
  }

  @Test("entries keep their order and their content") func order() throws {
    let folder = try TemporaryFolder()
    let outbox = Outbox(folder: folder.file("state/outbox"))
    #expect(try outbox.names().isEmpty)
    let entries = [Self.entry("a"), Self.entry("b", .completion), Self.entry("c")]
    for entry in entries { #expect(try outbox.append(entry) == 0) }
    #expect(try outbox.names().map { try outbox.entry($0) } == entries)
    #expect(
      try ClientLab.modes(folder.file("state/outbox")) == [
        "0000000000000001-event-\(entries[0].id).json": 0o600,
        "0000000000000002-completion-\(entries[1].id).json": 0o600,
        "0000000000000003-event-\(entries[2].id).json": 0o600,
      ])
    try outbox.remove(try outbox.names()[1])
    _ = try outbox.append(Self.entry("d"))
    #expect(try Self.names(outbox) == ["a", "c", "d"])
    try outbox.clear()
    #expect(try outbox.names().isEmpty)
  }

  @Test("a name is never another entry's, though its number is used again") func uniqueNames() throws {
    let folder = try TemporaryFolder()
    let outbox = Outbox(folder: folder.url.path)
    let entries = [Self.entry("a"), Self.entry("a")]
    var names: [Outbox.Name] = []
    for entry in entries {
      _ = try outbox.append(entry)
      names += try outbox.names()
      try outbox.clear()
    }
    #expect(names.map(\.number) == [1, 1] && names.map(\.id) == entries.map(\.id) && Set(names).count == 2)
    // What is sent and removed late, after another process has cleared the outbox.
    _ = try outbox.append(entries[1])
    try outbox.remove(names[0])
    #expect(try outbox.names() == [names[1]])
    #expect(try outbox.contains(entries[1].id) && !outbox.contains(entries[0].id))
  }

  @Test("an entry under the name of another one is damaged") func foreignName() throws {
    let folder = try TemporaryFolder()
    let outbox = Outbox(folder: folder.url.path)
    let entries = [Self.entry("a"), Self.entry("b")]
    _ = try outbox.append(entries[0])
    let name = try #require(try outbox.names().first)
    try Data(entries[1].file).write(to: folder.url.appendingPathComponent(name.text))
    #expect(try outbox.entry(name) == nil)
    #expect(try !outbox.contains(entries[0].id) && !outbox.contains(entries[1].id))
  }

  @Test("several processes add entries") func processes() async throws {
    let folder = try TemporaryFolder()
    try await withThrowingTaskGroup { group in
      for number in 0..<12 {
        group.addTask { _ = try Outbox(folder: folder.url.path).append(Self.entry("\(number)")) }
      }
      try await group.waitForAll()
    }
    #expect(Set(try Self.names(Outbox(folder: folder.url.path))) == Set((0..<12).map { "\($0)" }))
  }

  @Test("the oldest events make room, completions stay") func bound() throws {
    let folder = try TemporaryFolder()
    let outbox = Outbox(folder: folder.url.path)
    _ = try outbox.append(Self.entry("completion", .completion))
    for number in 1..<Outbox.maximumCount { _ = try outbox.append(Self.entry("\(number)")) }
    #expect(try outbox.append(Self.entry("new")) == 1)
    let names = try Self.names(outbox)
    #expect(names.count == Outbox.maximumCount)
    #expect(names.first == "completion" && names[1] == "2" && names.last == "new")
  }

  @Test("the entries together have a limit, and each has one") func size() throws {
    let folder = try TemporaryFolder()
    let outbox = Outbox(folder: folder.url.path)
    let large = String(repeating: "x", count: 1 << 20)
    for number in 0..<7 { #expect(try outbox.append(Self.entry("\(number)\(large)")) == 0) }
    #expect(try outbox.append(Self.entry("7\(large)")) == 1)
    #expect(try Self.names(outbox).map { $0?.first } == ["1", "2", "3", "4", "5", "6", "7"])
    #expect(throws: (any Error).self) { try outbox.append(Self.entry(String(repeating: "x", count: 2 << 20))) }
    #expect(outbox.append(Self.entry(String(repeating: "x", count: 2 << 20)), logger: Logger(label: "test")))
    #expect(try outbox.names().count == 7, "it can never be stored")
  }

  @Test(
    "other files are no entries",
    arguments: [
      "event-\(id).json", "1-event-\(id).json", "0000000000000001-other-\(id).json",
      "0000000000000001-event-\(id).json.bak", "-000000000000001-event-\(id).json",
      "+000000000000001-event-\(id).json", "00000000000000001-event-\(id).json", "0000000000000001.json",
      "0000000000000001-event.json", "0000000000000001-event-.json", "0000000000000001-event-\(id.uppercased()).json",
      "0000000000000001-event-\(id)0.json",
    ])
  func otherFiles(name: String) throws {
    let folder = try TemporaryFolder()
    try Data("{}".utf8).write(to: folder.url.appendingPathComponent(name))
    let outbox = Outbox(folder: folder.url.path)
    #expect(try outbox.names().isEmpty)
    _ = try outbox.append(Self.entry("a"))
    #expect(try Self.names(outbox) == ["a"])
  }

  @Test("the last possible number is an error, not a trap") func lastNumber() throws {
    let folder = try TemporaryFolder()
    try Data("{}".utf8).write(to: folder.url.appendingPathComponent("9999999999999999-event-\(Self.id).json"))
    let outbox = Outbox(folder: folder.url.path)
    #expect(throws: (any Error).self) { try outbox.append(Self.entry("a")) }
    #expect(!outbox.append(Self.entry("a"), logger: Logger(label: "test")), "it may be stored later")
    #expect(try outbox.names().count == 1)
  }

  @Test("a folder in which others may write has no entries") func foreignFolder() throws {
    let folder = try TemporaryFolder()
    let outbox = Outbox(folder: folder.file("outbox"))
    _ = try outbox.append(Self.entry("a"))
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.file("outbox"))
    #expect(try outbox.names().isEmpty)
  }

  private static let damaged = [
    "", "{", "[]", #"{"format": 1, "kind": "event"}"#,
    #"{"format": 1, "kind": "other", "id": "0f8fad5b-d9cb-469f-a165-70867728950e", "time": "2030-01-02T03:04:05Z", "body": {}}"#,
    #"{"format": 1, "kind": "event", "id": "0f8fad5b-d9cb-469f-a165-70867728950e", "time": "2030-01-02T03:04:05Z", "body": []}"#,
  ]

  @Test("a damaged entry is none", arguments: damaged) func damagedEntries(content: String) throws {
    #expect(OutboxEntry(file: Array(content.utf8)) == nil)
  }

  @Test("one sends at a time") func lock() throws {
    let folder = try TemporaryFolder()
    #expect(SendingLock(folder: folder.file("missing")) == nil)
    var first = SendingLock(folder: folder.url.path)
    #expect(first != nil && SendingLock(folder: folder.url.path) == nil)
    withExtendedLifetime(first) {}
    first = nil
    #expect(SendingLock(folder: folder.url.path) != nil)
  }

  private static let outcomes: [(FCKAPIClient.APIError, SendingOutcome)] = [
    (.serverError(400, ""), .refused(status: 400)), (.serverError(403, ""), .refused(status: 403)),
    (.serverError(422, ""), .refused(status: 422)), (.noActiveFlow, .refused(status: 404)),
    (.serverError(204, ""), .refused(status: 204)), (.serverError(401, ""), .postponed),
    (.serverError(408, ""), .postponed), (.serverError(425, ""), .postponed), (.usageLimitExceeded, .postponed),
    (.serverError(500, ""), .postponed), (.serverError(503, ""), .postponed), (.invalidURL, .postponed),
    (.networkError(.offline), .unreachable), (.networkError(.redirect(.refused(to: nil))), .unreachable),
  ]

  @Test("an error says whether to send again", arguments: outcomes)
  func anOutcome(error: FCKAPIClient.APIError, outcome: SendingOutcome) {
    #expect(SendingOutcome(error) == outcome)
  }
}
