package import TesseraCore
package import TesseraJSON

/// The reason why a text is no packet of Engine.IO 4 or Socket.IO 5, or why it may not be sent or received now. It never
/// quotes the text.
package enum SocketProtocolError: FailureConvertible, Equatable {
  /// The packet has more than this number of bytes.
  case tooLarge(limit: Int)
  /// The text is empty, or its first character is not the type of an Engine.IO packet.
  case engineType
  /// An Engine.IO packet has data although its type has none, or more data than its type may have.
  case engineData
  /// The data of the first Engine.IO packet lacks a member, or a member is out of range.
  case handshake
  /// The type of a Socket.IO packet is missing or unknown.
  case socketType
  /// The number of attachments that a packet announces is missing, or more than `SocketPacket.maximumAttachments`; or
  /// they have more than `SocketConversation.maximumAttachmentBytes`.
  case attachments
  /// A packet came instead of an attachment.
  case missingAttachment
  /// A binary message that no packet announced.
  case unannounced
  /// The namespace is longer than `SocketNamespace.maximumLength` or has other characters than visible ones of ASCII.
  case namespace
  /// The identifier of an acknowledgement is missing, superfluous, or no integer of up to 53 bits.
  case acknowledgementIdentifier
  case json(JSONError)
  /// The payload of a Socket.IO packet has not the shape that its type requires.
  case payload
  /// The name of an event is empty, longer than `SocketEvent.maximumName`, or reserved for the protocol.
  case eventName
  /// The packet is valid, but not at this point of a conversation.
  case unexpected
  /// More events than this number came before the server had confirmed the namespace.
  case tooManyEarlyEvents(limit: Int)

  package var failure: Failure {
    let cause =
      switch self {
      case .tooLarge(let limit): "A message on the socket has more than \(limit) bytes."
      case .engineType, .engineData: "A message on the socket is no packet of Engine.IO 4."
      case .handshake: "The first message on the socket is no valid handshake of Engine.IO 4."
      case .socketType: "A message on the socket is no packet of Socket.IO 5."
      case .attachments: "A message on the socket has invalid attachments, or too many."
      case .missingAttachment: "A message on the socket lacks an attachment."
      case .unannounced: "A message on the socket is binary, and was not announced."
      case .namespace: "A message on the socket has an invalid namespace."
      case .acknowledgementIdentifier: "A message on the socket has an invalid identifier of an acknowledgement."
      case .json(let error): "A message on the socket is malformed. \(error.failure.cause)"
      case .payload: "A message on the socket has an invalid payload."
      case .eventName: "A message on the socket has an invalid name of an event."
      case .unexpected: "A message on the socket came at the wrong time."
      case .tooManyEarlyEvents(let limit):
        "The server sent more than \(limit) events before it accepted the connection."
      }
    return Failure(
      .protocolViolation, cause,
      remedy: "Check that the address is that of a Socket.IO server of version 3 or later.")
  }
}
