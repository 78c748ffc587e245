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
