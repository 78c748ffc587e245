package import TesseraJSON

/// The client's side of one connection to a Socket.IO server, without the connection: a state machine that gets the
/// packets of the server and says what to do.
///
/// The order is: the server opens the Engine.IO session, the client asks to join its namespace, the server confirms or
/// refuses. A server can send events before it confirms; they are kept, up to `maximumEarlyEvents`, and follow the
/// confirmation. Packets of other namespaces are ignored, as other clients do. None of Passage's events has binary
/// attachments: one that has is `SocketEvent.unread`. Its attachments are the next binary messages, between which only
/// packets of Engine.IO itself may come.
package struct SocketConversation: Sendable {
  package enum Action: Sendable, Equatable {
    /// Send this to the server.
    case send(EnginePacket)
    /// The server opened the session. From now on it sends pings.
    case opened(EngineHandshake)
    /// The server has sent a ping.
    case pinged
    /// The server confirmed the namespace.
    case connected(identifier: String)
    case event(SocketEvent, identifier: AcknowledgementIdentifier?)
    case acknowledged(AcknowledgementIdentifier, [JSONValue])
    /// The conversation is over. No action follows.
    case ended(End)
  }

  /// Why the server ended the conversation.
  package enum End: Sendable, Equatable {
    /// The server does not let the client join the namespace (CONNECT_ERROR).
    case refused(message: String)
    /// The server removed the client from the namespace (DISCONNECT).
    case disconnected
    /// The server closed the Engine.IO session.
    case closed
  }

  private enum State {
    case opening
    /// With the events that came early.
    case joining([Action])
    case connected
    case ended
  }

  package static let maximumEarlyEvents = 64
  /// Of all attachments of one packet. None is kept.
  package static let maximumAttachmentBytes = EnginePacket.maximumLength
  /// In bytes of UTF-8: of the identifier that the server gives to the client.
  private static let maximumIdentifier = 256

  private let namespace: SocketNamespace
  private let authentication: JSONObject?
  private let limit: Int
  private var state = State.opening
  /// The packet whose attachments are still to come, with their number and the bytes that they may have.
  private var incomplete: (packet: SocketPacket, attachments: Int, bytes: Int)?

  /// - Parameters:
  ///   - authentication: the object that the server gets when the client joins; nil for none.
  ///   - limit: the length of the longest packet that is accepted, in bytes of UTF-8.
  package init(
    _ namespace: SocketNamespace, authentication: JSONObject? = nil, limit: Int = EnginePacket.maximumLength
  ) {
    self.namespace = namespace
    self.authentication = authentication
    self.limit = limit
  }

  /// Whether events may be sent.
  package var isConnected: Bool {
    if case .connected = state { true } else { false }
  }

  /// Takes one message of the server.
  ///
  /// - Throws: `SocketProtocolError`; the connection must then be closed.
  package mutating func receive(_ text: String) throws(SocketProtocolError) -> [Action] {
    if case .ended = state { return [] }
    // Other clients read an attachment in base64 after this letter on every transport.
    if text.utf8.first == UInt8(ascii: "b") {
      return try receive(binary: text.utf8.count - 1)
    }
    switch (state, try EnginePacket(text, limit: limit)) {
    case (.opening, .open(let handshake)):
      state = .joining([])
      let packet = SocketPacket(namespace, .connect(authentication))
      return [.opened(handshake), .send(.message(packet.text))]
    case (_, .close): return end(.closed)
    case (.opening, _), (_, .open), (_, .upgrade): throw .unexpected
    case (_, .ping(let data)): return [.pinged, .send(.pong(data))]
    case (_, .pong), (_, .noop): return []
    case (_, .message(let data)): return try receive(SocketPacket(data, limit: limit))
    }
  }

  /// Takes a binary message, which is an attachment.
  ///
  /// - Parameter bytes: its length.
  /// - Throws: `SocketProtocolError`; the connection must then be closed.
  package mutating func receive(binary bytes: Int) throws(SocketProtocolError) -> [Action] {
    if case .ended = state { return [] }
    guard let (packet, attachments, left) = incomplete else { throw .unannounced }
    guard bytes <= left else { throw .attachments }
    guard attachments == 1 else {
      incomplete = (packet, attachments - 1, left - bytes)
      return []
    }
    incomplete = nil
    guard case .unreadEvent(_, let identifier) = packet.content else { return [] }
    return try receive(SocketPacket(packet.namespace, .event(.unread, identifier: identifier)))
  }

  private mutating func receive(_ packet: SocketPacket) throws(SocketProtocolError) -> [Action] {
    guard incomplete == nil else { throw .missingAttachment }
    switch packet.content {
    case .unreadEvent(let count, _), .unreadAcknowledgement(let count):
      incomplete = (packet, count, Self.maximumAttachmentBytes)
      return []
    default: break
    }
    guard packet.namespace.path == namespace.path else { return [] }
    switch (state, packet.content) {
    case (.joining(let early), .connect(let data)):
      // Version 2 of the protocol names no identifier.
      guard let identifier = data?["sid"]?.stringValue, 1...Self.maximumIdentifier ~= identifier.utf8.count else {
        throw .payload
      }
      state = .connected
      return [.connected(identifier: identifier)] + early
    case (.joining, .connectError(let message)): return end(.refused(message: message))
    case (.joining(let early), .event(let event, let identifier)):
      guard early.count < Self.maximumEarlyEvents else { throw .tooManyEarlyEvents(limit: Self.maximumEarlyEvents) }
      state = .joining(early + [.event(event, identifier: identifier)])
      return []
    case (.connected, .event(let event, let identifier)): return [.event(event, identifier: identifier)]
    case (.connected, .acknowledgement(let identifier, let values)): return [.acknowledged(identifier, values)]
    case (.connected, .disconnect), (.joining, .disconnect): return end(.disconnected)
    case (.joining, .acknowledgement), (.connected, .connect), (.connected, .connectError), (.opening, _), (.ended, _),
      (_, .unreadEvent),
      (_, .unreadAcknowledgement):
      throw .unexpected
    }
  }

  private mutating func end(_ end: End) -> [Action] {
    state = .ended
    return [.ended(end)]
  }
}
