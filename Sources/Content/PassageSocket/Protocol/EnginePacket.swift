internal import TesseraJSON

/// One packet of Engine.IO 4 over a WebSocket, which is the text of one message: a digit for the type, then the data.
package enum EnginePacket: Sendable, Equatable {
  /// `0`: the first packet of a server.
  case open(EngineHandshake)
  /// `1`: the sender ends the session.
  case close
  /// `2`: the server asks whether the client is there. The text comes back in the pong.
  case ping(String)
  /// `3`: the response to a ping.
  case pong(String)
  /// `4`: a packet of Socket.IO.
  case message(String)
  /// `5`: the end of a change of the transport.
  case upgrade
  /// `6`: nothing.
  case noop

  /// In bytes of UTF-8: the longest packet that is read or written, for a result with a page and a picture of it.
  package static let maximumLength = 16 << 20
  /// In bytes of UTF-8: `probe` is the only text of pings in use.
  package static let maximumPingText = 64

  /// - Throws: `SocketProtocolError`.
  package init(_ text: String, limit: Int = maximumLength) throws(SocketProtocolError) {
    guard text.utf8.count <= limit else { throw .tooLarge(limit: limit) }
    guard let type = text.utf8.first else { throw .engineType }
    // The first byte is a digit, so this is the border of a character. `dropFirst` would take combining marks with it.
    let data = text[text.utf8.index(after: text.utf8.startIndex)...]
    switch type {
    case UInt8(ascii: "0"): self = .open(try EngineHandshake(data))
    case UInt8(ascii: "1"): self = try Self.bare(.close, data)
    case UInt8(ascii: "2"): self = .ping(try Self.pingText(data))
    case UInt8(ascii: "3"): self = .pong(try Self.pingText(data))
    case UInt8(ascii: "4"): self = .message(String(data))
    case UInt8(ascii: "5"): self = try Self.bare(.upgrade, data)
    case UInt8(ascii: "6"): self = try Self.bare(.noop, data)
    default: throw .engineType
    }
  }

  /// The packet as the text of a message.
  package var text: String {
    switch self {
    case .open(let handshake): "0" + handshake.text
    case .close: "1"
    case .ping(let text): "2" + text
    case .pong(let text): "3" + text
    case .message(let text): "4" + text
    case .upgrade: "5"
    case .noop: "6"
    }
  }

  private static func bare(_ packet: EnginePacket, _ data: Substring) throws(SocketProtocolError) -> EnginePacket {
    guard data.utf8.isEmpty else { throw .engineData }
    return packet
  }

  private static func pingText(_ data: Substring) throws(SocketProtocolError) -> String {
    guard data.utf8.count <= maximumPingText else { throw .engineData }
    return String(data)
  }
}

/// The data of the first packet of an Engine.IO server: `{sid, upgrades, pingInterval, pingTimeout, maxPayload}`.
///
/// `upgrades` is ignored: Passage uses WebSockets from the start.
package struct EngineHandshake: Sendable, Equatable {
  /// The identifier of the Engine.IO session: 1 to 256 bytes.
  package var identifier: String
  /// The time between two pings of the server: 1 millisecond to 1 hour.
  package var pingInterval: Duration
  /// How long a ping may be late: 1 millisecond to 1 hour.
  package var pingTimeout: Duration
  /// The number of bytes that one message to the server may have; nil if the server names none.
  package var maximumPayload: Int?

  private static let milliseconds: ClosedRange<Int64> = 1...3_600_000
  private static let maximumIdentifier = 256

  /// The connection is dead when no ping has come for this time.
  package var silenceLimit: Duration { pingInterval + pingTimeout }

  package init(identifier: String, pingInterval: Duration, pingTimeout: Duration, maximumPayload: Int? = nil) {
    self.identifier = identifier
    self.pingInterval = pingInterval
    self.pingTimeout = pingTimeout
    self.maximumPayload = maximumPayload
  }

  /// - Throws: `SocketProtocolError.json` or `SocketProtocolError.handshake`.
  init(_ text: Substring) throws(SocketProtocolError) {
    let value: JSONValue
    do { value = try JSONValue(text: text) } catch { throw .json(error) }
    guard let identifier = value["sid"]?.stringValue, 1...Self.maximumIdentifier ~= identifier.utf8.count,
      case .integer(let interval)? = value["pingInterval"], Self.milliseconds.contains(interval),
      case .integer(let timeout)? = value["pingTimeout"], Self.milliseconds.contains(timeout)
    else { throw .handshake }
    self.init(
      identifier: identifier, pingInterval: .milliseconds(interval), pingTimeout: .milliseconds(timeout))
    switch value["maxPayload"] {
    case nil: break
    case .integer(let limit) where limit > 0: maximumPayload = Int(clamping: limit)
    default: throw .handshake
    }
  }

  /// The handshake in JSON.
  var text: String {
    var members: JSONObject = ["sid": .string(identifier), "upgrades": []]
    members["pingInterval"] = .integer(Self.milliseconds(pingInterval))
    members["pingTimeout"] = .integer(Self.milliseconds(pingTimeout))
    if let maximumPayload { members["maxPayload"] = .integer(Int64(maximumPayload)) }
    return JSONValue.object(members).text
  }

  private static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return min(max(seconds, 0), milliseconds.upperBound) * 1_000 + attoseconds / 1_000_000_000_000_000
  }
}
