import Foundation
import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingClient
@testable import FCKOnboardingFlow

/// What a program remembers of a user's onboarding.
@Suite struct RecordTests {
  @Test("a record survives its file") func file() throws {
    let folder = try TemporaryFolder()
    let file = RecordFile(folder: folder.file("state"))
    #expect(try file.read() == nil)
    let (record, isFirst) = try file.update { record in
      _ = record.setResponse("Ada \"ü\"\n", for: "name")
      _ = record.setResponse("", for: "empty")
      return record.complete("main")
    }
    #expect(isFirst && record.completed == ["main"])
    #expect(
      record.deviceId.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    #expect(try file.read() == record)
    #expect(record.responses == ["name": "Ada \"ü\"\n", "empty": ""])
    #expect(try ClientLab.modes(folder.file("state")) == ["record.json": 0o600])
    let (_, isFirstAgain) = try file.update { $0.complete("main") }
    #expect(!isFirstAgain)
  }

  @Test("two devices have different identifiers") func identifiers() {
    #expect(OnboardingRecord().deviceId != OnboardingRecord().deviceId)
  }

  @Test("an answer is replaced at its place") func replacement() {
    var record = OnboardingRecord()
    for (key, value) in [("a", "1"), ("b", "2"), ("a", "3")] { #expect(record.setResponse(value, for: key) == true) }
    #expect(record.responses.names == ["a", "b"] && record.responses == ["a": "3", "b": "2"])
  }

  @Test("answers have limits") func limits() {
    var record = OnboardingRecord()
    #expect(record.setResponse("x", for: "") == false)
    #expect(record.setResponse("x", for: String(repeating: "k", count: OnboardingRecord.maximumKey + 1)) == false)
    #expect(record.setResponse(String(repeating: "v", count: OnboardingRecord.maximumText), for: "a") == false)
    #expect(record.responses.isEmpty)
    #expect(record.setResponse(String(repeating: "v", count: OnboardingRecord.maximumText - 1), for: "a") == true)
    record.removeResponse(for: "a")
    let long = String(repeating: "v", count: 16 << 10)
    for number in 0..<15 { #expect(record.setResponse(long, for: "long\(number)") == true) }
    #expect(record.setResponse(long, for: "one too many") == false)
    #expect(record.setResponse(long, for: "long0") == true, "one that is replaced makes room")
    #expect(record.setResponse("short", for: "short") == true)
    var many = OnboardingRecord()
    for number in 0..<OnboardingRecord.maximumResponses { #expect(many.setResponse("x", for: "\(number)") == true) }
    #expect(many.setResponse("x", for: "one too many") == false)
    #expect(many.setResponse("y", for: "0") == true)
    #expect(many.responses.count == OnboardingRecord.maximumResponses)
  }

  /// 40,000 bytes
  @Test("the longest text of a field replaces a shorter answer") func longestText() async throws {
    let text = String(repeating: "\u{1F600}", count: EntryText.maximumLength)
    var showing = Showing(FlowConfig([Element.entry("a")]))
    showing.send(.text("a", text))
    let answers = showing.session.answers
    #expect(answers["a"] == text)
    let lab = try ClientLab()
    let client = try await lab.client()
    await client.saveResponse(key: "a", value: "short")
    await client.saveResponses(answers)
    await client.markCompleted()
    await client.finishSending(atMost: .seconds(600))
    #expect(try await lab.client().getUserResponses() == ["a": text])
    #expect(lab.server.accepted.first?.body?["responses"]?["a"] == .string(text))
  }

  @Test("the latest placements are kept") func placements() {
    var record = OnboardingRecord()
    for number in 0..<OnboardingRecord.maximumPlacements + 2 { #expect(record.complete("\(number)") == true) }
    #expect(record.completed.count == OnboardingRecord.maximumPlacements)
    #expect(record.completed.first == "2")
  }

  @Test("a reset keeps the device only") func reset() {
    var record = OnboardingRecord()
    let deviceId = record.deviceId
    _ = record.complete("main")
    _ = record.setResponse("x", for: "a")
    record.reset()
    #expect(record.completed.isEmpty && record.responses.isEmpty && record.deviceId == deviceId)
  }

  private static let id = "0f8fad5b-d9cb-469f-a165-70867728950e"
  private static let damaged = [
    "", "{", "[]", "{}", #"{"format": 1}"#, #"{"format": 1, "deviceId": "me"}"#,
    #"{"format": 2, "deviceId": "\#(id)"}"#,
  ]

  @Test("a damaged file makes a new record", arguments: damaged) func damagedFiles(content: String) throws {
    let folder = try TemporaryFolder()
    try Data(content.utf8).write(to: folder.url.appendingPathComponent("record.json"))
    let file = RecordFile(folder: folder.url.path)
    #expect(try file.read() == nil)
    let (record, _) = try file.update { $0.complete("main") }
    #expect(record.completed == ["main"])
    #expect(try file.read() == record)
  }

  @Test("what is wrong in a record is left out") func wrongMembers() throws {
    let text = #"""
      {"format": 1, "deviceId": "\#(Self.id.uppercased())", "completed": ["a", 1, "a", null],
       "responses": {"a": "x", "b": 1, "": "y"}}
      """#
    let record = try #require(OnboardingRecord(file: Array(text.utf8)))
    #expect(record.deviceId == Self.id && record.completed == ["a"] && record.responses == ["a": "x"])
  }

  @Test("several processes change one record") func processes() async throws {
    let folder = try TemporaryFolder()
    try await withThrowingTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          try RecordFile(folder: folder.url.path, wait: .seconds(60))
            .update { _ = $0.setResponse("\(number)", for: "key\(number)") }
        }
      }
      try await group.waitForAll()
    }
    let record = try RecordFile(folder: folder.url.path).read()
    #expect(Set(record?.responses.names ?? []) == Set((0..<8).map { "key\($0)" }))
  }
}
