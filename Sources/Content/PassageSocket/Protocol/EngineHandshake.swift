internal import TesseraJSON

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
