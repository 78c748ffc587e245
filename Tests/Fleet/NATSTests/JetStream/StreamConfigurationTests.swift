import TesseraJSON
import Testing

@testable import TesseraNATS

/// When a stream that is there needs no update.
@Suite("Configuration of a stream") struct StreamConfigurationTests {
  private let wanted = StreamConfiguration(name: "LAB", subjects: ["lab.>"], replicas: 1)

  private func existing(_ changes: JSONObject) -> JSONValue {
    guard case .object(var members) = wanted.json else { return .null }
    for change in changes.members { members[change.name] = change.value }
    return .object(members)
  }

  @Test("what servers add of themselves is no difference")
  func same() {
    #expect(
      wanted.agrees(with: existing(["max_msg_size": -1, "no_ack": false, "compression": "none", "metadata": [:]])))
    #expect(wanted.agrees(with: existing(["max_msg_size": 0, "sources": []])))
  }

  @Test(
    "what somebody set is one",
    arguments: [
      ["max_msg_size": 1_024], ["no_ack": true], ["republish": ["src": ">", "dest": "x.>"]], ["mirror": ["name": "A"]],
      ["sources": [["name": "A"]]], ["num_replicas": 3], ["max_age": 5], ["subjects": ["lab.a"]],
    ] as [JSONObject])
  func other(_ changes: JSONObject) { #expect(!wanted.agrees(with: existing(changes))) }
}
