internal import TesseraJSON

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
