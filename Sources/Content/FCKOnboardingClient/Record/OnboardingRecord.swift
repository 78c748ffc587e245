internal import FoundationEssentials
import TesseraJSON

/// What a program remembers of a user's onboarding: the random identifier of the device, the placements whose flow
/// was finished, the answers, and reports of completions that are not in the outbox yet.
package struct OnboardingRecord: Sendable, Equatable {
  /// The version of the file.
  static let format = 1
  static let maximumPlacements = 200
  static let maximumReports = 8
  package static let maximumResponses = 500
  /// In bytes of UTF-8.
  package static let maximumKey = 256
  /// All keys and values together, in bytes of UTF-8. A value has no limit of its own, so that the longest text of a
  /// field (`EntryText.maximumLength`) is one.
  package static let maximumText = 256 << 10

  /// A random UUID in lower case. It is no identifier of the machine.
  package let deviceId: String
  /// The last one is the latest.
  package private(set) var completed: [String] = []
  /// In the order in which they were first given.
  package private(set) var responses = JSONObject()
  /// In the order in which they are sent.
  private(set) var reports: [PendingReport] = []

  /// A new device.
  package init() { deviceId = UUID().uuidString.lowercased() }

  /// - Returns: false if the flow of the placement was finished before, or if no placement has such a name.
  package mutating func complete(_ placement: String) -> Bool {
    guard FCKAPIClient.isPlacement(placement), !completed.contains(placement) else { return false }
    completed.append(placement)
    completed.removeFirst(max(0, completed.count - Self.maximumPlacements))
    return true
  }

  /// Keeps reports of a completion until they are in the outbox. The oldest ones make room.
  ///
  /// - Returns: the number of reports that were dropped.
  mutating func add(_ reports: [PendingReport]) -> Int {
    self.reports += reports
    let dropped = max(0, self.reports.count - Self.maximumReports)
    self.reports.removeFirst(dropped)
    return dropped
  }

  /// Forgets all other reports.
  mutating func keepReports(_ ids: Set<String>) { reports.removeAll { !ids.contains($0.entry.id) } }

  /// Forgets reports that are in the outbox.
  mutating func removeReports(_ ids: Set<String>) { reports.removeAll { ids.contains($0.entry.id) } }

  /// Keeps an answer. One with the same key is replaced.
  ///
  /// - Returns: false if the key is too long, or if the answers are too many, or too long together. Then nothing
  /// changes.
  package mutating func setResponse(_ value: String, for key: String) -> Bool {
    guard !key.isEmpty, key.utf8.count <= Self.maximumKey else { return false }
    let previous = responses[key]?.stringValue.map { $0.utf8.count + key.utf8.count } ?? 0
    let size = responses.members.reduce(0) { $0 + $1.name.utf8.count + ($1.value.stringValue ?? "").utf8.count }
    guard previous > 0 || responses.count < Self.maximumResponses,
      size - previous + key.utf8.count + value.utf8.count <= Self.maximumText
    else { return false }
    responses[key] = .string(value)
    return true
  }

  /// Forgets an answer.
  package mutating func removeResponse(for key: String) { responses[key] = nil }

  /// Forgets the answers, what was finished, and the reports of it. The identifier of the device stays.
  package mutating func reset() {
    completed = []
    responses = [:]
    reports = []
  }
}

extension OnboardingRecord {
  /// Reads a record.
  ///
  /// - Parameter file: `{"format": 1, "deviceId": "…", "completed": ["main"], "responses": {"name": "Ada"}}`,
  ///   with `"reports": [{"environment": "sandbox", "report": {…}}]` between the two steps of a completion
  /// - Returns: nil if it is damaged.
  init?(file: [UInt8]) {
    guard let text = String(validating: file, as: UTF8.self), let record = try? JSONValue(text: text),
      record["format"] == .integer(Int64(Self.format)),
      let deviceId = record["deviceId"]?.stringValue.flatMap({ UUID(uuidString: $0) })
    else { return nil }
    self.deviceId = deviceId.uuidString.lowercased()
    if case .array(let placements)? = record["completed"] {
      for case .string(let placement) in placements { _ = complete(placement) }
    }
    if case .object(let responses)? = record["responses"] {
      for member in responses.members {
        if let value = member.value.stringValue { _ = setResponse(value, for: member.name) }
      }
    }
    if case .array(let reports)? = record["reports"] { _ = add(reports.compactMap { PendingReport($0) }) }
  }

  var file: [UInt8] {
    var record: JSONObject = [
      "format": .integer(Int64(Self.format)), "deviceId": .string(deviceId),
      "completed": .array(completed.map { .string($0) }), "responses": .object(responses),
    ]
    if !reports.isEmpty { record["reports"] = .array(reports.map(\.json)) }
    return Array(JSONValue.object(record).text.utf8)
  }
}
