package import TesseraJSON

/// An event of Socket.IO: a name and values of JSON.
package struct SocketEvent: Sendable, Equatable {
  package var name: String
  package var arguments: [JSONValue]

  /// In bytes of UTF-8.
  package static let maximumName = 256
  /// The names that a client may not send: Socket.IO's own.
  static let reservedNames: Set<String> = [
    "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
  ]

  /// An event with binary attachments, of which nothing was read.
  package static let unread = SocketEvent("")

  package init(_ name: String, _ arguments: [JSONValue] = []) {
    self.name = name
    self.arguments = arguments
  }

  /// The first argument; nil without one. Passage's events have one.
  package var payload: JSONValue? { arguments.first }

  /// Checks an event before it is sent.
  ///
  /// - Throws: `SocketProtocolError.eventName`.
  package func check() throws(SocketProtocolError) {
    guard 1...Self.maximumName ~= name.utf8.count, !Self.reservedNames.contains(name) else { throw .eventName }
  }
}

/// When a client connects again after its connection was lost: up to five times in a row, after 2, 4, 8, 10 and 10
/// seconds, with no random part (Passage.md, rule 5).
package struct SocketReconnection: Sendable, Equatable {
  /// The number of attempts in a row.
  package let maximumAttempts: Int
  private let firstWait: Duration
  private let longestWait: Duration
  /// The attempts since the last connection.
  package private(set) var attempts = 0

  /// - Parameters:
  ///   - maximumAttempts: 0 to connect only once.
  ///   - firstWait: the wait before the first attempt. Each wait is twice as long as the one before.
  ///   - longestWait: no wait is longer.
  package init(
    maximumAttempts: Int = 5, firstWait: Duration = .seconds(2), longestWait: Duration = .seconds(10)
  ) {
    self.maximumAttempts = max(0, maximumAttempts)
    self.longestWait = max(.zero, longestWait)
    self.firstWait = min(max(.zero, firstWait), self.longestWait)
  }

  /// Counts an attempt.
  ///
  /// - Returns: The time to wait before it; nil if there were enough attempts.
  package mutating func next() -> Duration? {
    guard attempts < maximumAttempts else { return nil }
    var wait = firstWait
    for _ in 0..<attempts where wait < longestWait { wait = min(wait * 2, longestWait) }
    attempts += 1
    return wait
  }

  /// Counts from the beginning, since there is a connection.
  package mutating func connected() { attempts = 0 }
}
