internal import TesseraJSON

/// What JetStream stores, and for how long.
package struct StreamConfiguration: Sendable, Equatable {
  package var name: String
  package var subjects: [String]
  /// Servers that have a copy: 1, 3 or 5.
  package var replicas: Int
  /// nil for no limit.
  package var maximumMessagesPerSubject: Int?
  /// Bytes; nil for no limit.
  package var maximumBytes: Int?
  /// nil for no limit.
  package var maximumAge: Duration?
  /// Whether a new message is refused when a limit is reached; otherwise the oldest is deleted.
  package var refusesNew = false
  /// Whether that holds for the limit of one subject, too.
  package var refusesNewPerSubject = false
  /// For how long a message id is remembered.
  package var duplicateWindow: Duration?
  /// Whether each server with a copy answers requests for single messages.
  package var allowsDirect = false
  /// Whether a message can replace all earlier ones of its subject.
  package var allowsRollup = false
  /// Where each stored message is published again: the subject of the source, and that of the copy.
  package var republication: Republication?

  package struct Republication: Sendable, Equatable {
    package var source: String
    package var destination: String

    package init(source: String, destination: String) {
      self.source = source
      self.destination = destination
    }
  }

  package init(name: String, subjects: [String], replicas: Int) {
    self.name = name
    self.subjects = subjects
    self.replicas = replicas
  }

  /// Whether a stream with the configuration that a server states has these limits. Servers leave out what is false or
  /// zero, and add members of their own.
  func agrees(with existing: JSONValue) -> Bool {
    guard case .object(let wanted) = json else { return false }
    // What somebody set, and what is not wanted: an update with the whole configuration takes it back.
    let unwanted = Self.otherMembers.contains { name, ordinary in
      wanted[name] == nil && existing[name].map { !ordinary.contains($0) } ?? false
    }
    guard !unwanted else { return false }
    return wanted.members.allSatisfy { member in
      guard let value = existing[member.name] else { return [.bool(false), .integer(0)].contains(member.value) }
      guard member.name == "republish" else { return value == member.value }
      return ["src", "dest"].allSatisfy { value[$0] == member.value[$0] }
    }
  }

  /// Members that change what a stream takes or keeps, with the values that mean nothing.
  private static let otherMembers: [(name: String, ordinary: [JSONValue])] = [
    ("max_msg_size", [-1, 0]), ("no_ack", [.bool(false)]), ("republish", [.null]), ("mirror", [.null]),
    ("sources", [.null, .array([])]), ("subject_transform", [.null]), ("sealed", [.bool(false)]),
  ]

  var json: JSONValue {
    var members: JSONObject = [
      "name": .string(name), "subjects": .array(subjects.map { .string($0) }), "retention": "limits",
      "storage": "file", "num_replicas": .integer(Int64(replicas)),
      "discard": refusesNew ? "new" : "old", "discard_new_per_subject": .bool(refusesNewPerSubject),
      "allow_direct": .bool(allowsDirect), "allow_rollup_hdrs": .bool(allowsRollup),
      "max_msgs_per_subject": .integer(Int64(maximumMessagesPerSubject ?? -1)),
      "max_bytes": .integer(Int64(maximumBytes ?? -1)), "max_msgs": -1, "max_consumers": -1,
      "max_age": .integer(maximumAge?.wholeNanoseconds ?? 0),
    ]
    if let duplicateWindow { members["duplicate_window"] = .integer(duplicateWindow.wholeNanoseconds) }
    if let republication {
      members["republish"] = ["src": .string(republication.source), "dest": .string(republication.destination)]
    }
    return .object(members)
  }
}

/// What a stream contains, and where.
package struct StreamState: Sendable, Equatable {
  package let messages: Int
  package let bytes: Int
  package let firstSequence: UInt64
  package let lastSequence: UInt64
  /// ISO 8601; `0001-01-01T00:00:00Z` while the stream is empty.
  package let firstTime: String
  package let lastTime: String
  /// The server that takes new messages; nil if none was elected, or without a cluster.
  package let leader: String?
  package let replicas: Int
  /// Of all messages; nil for no limit.
  package let maximumBytes: Int?
  /// After which a message is deleted; nil for never.
  package let maximumAge: Duration?
  /// Copies that are behind or not reachable.
  package let laggingReplicas: Int

  /// nil if a member is missing.
  init?(_ json: JSONValue) {
    guard let state = json["state"], let messages = state["messages"]?.count, let bytes = state["bytes"]?.count,
      let first = state["first_seq"]?.count, let last = state["last_seq"]?.count
    else { return nil }
    self.messages = messages
    self.bytes = bytes
    firstSequence = UInt64(first)
    lastSequence = UInt64(last)
    firstTime = state["first_ts"]?.stringValue ?? ""
    lastTime = state["last_ts"]?.stringValue ?? ""
    leader = json["cluster"]?["leader"]?.stringValue
    replicas = json["config"]?["num_replicas"]?.count ?? 1
    // -1 stands for none.
    maximumBytes = json["config"]?["max_bytes"]?.count
    maximumAge = json["config"]?["max_age"]?.count.flatMap { $0 == 0 ? nil : .nanoseconds($0) }
    guard case .array(let others)? = json["cluster"]?["replicas"] else {
      laggingReplicas = 0
      return
    }
    laggingReplicas = others.count { $0["current"] != .bool(true) }
  }
}

extension JSONValue {
  /// A number that counts something: zero or more.
  var count: Int? {
    guard case .integer(let number) = self, number >= 0 else { return nil }
    return Int(number)
  }
}
