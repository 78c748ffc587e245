package import TesseraCore
internal import TesseraHTTPClient
package import TesseraJSON

/// What a client of a Socket.IO server needs to know.
package struct SocketConfiguration: Sendable {
  package var address: SocketServerAddress
  package var namespace: SocketNamespace
  /// The object that the server gets when the client joins the namespace; nil for none.
  package var authentication: JSONObject?
  /// What the client sends first on every connection, before all that waits; nil for nothing. Some servers of Passage
  /// want `join`.
  package var greeting: SocketEvent?
  package var reconnection = SocketReconnection()
  package var timeLimits = TimeLimits()
  package var limits = Limits()

  /// - Parameter namespace: Passage's is `/ws`.
  /// - Throws: `SocketProtocolError.namespace`.
  package init(_ address: SocketServerAddress, namespace: String = "/ws") throws(SocketProtocolError) {
    self.address = address
    self.namespace = try SocketNamespace(namespace)
  }

  /// How long the phases of one connection may take.
  package struct TimeLimits: Sendable {
    /// Until there is a connection to the server: with TLS, and through the proxy if there is one.
    package var connecting: Duration = .seconds(10)
    /// Until the end of the WebSocket's handshake.
    package var upgrading: Duration = .seconds(10)
    /// Until the server has let the client join the namespace.
    package var joining: Duration = .seconds(10)
    /// Until the server has confirmed the end of the connection.
    package var closing: Duration = .seconds(2)

    package init() {}
  }

  /// How much is accepted from the server, and how much is kept for it.
  package struct Limits: Sendable {
    /// In bytes, up to `EnginePacket.maximumLength`: the longest message from the server. A command has a script at most;
    /// values of JSON take a multiple of their text in memory.
    package var message = 4 << 20
    /// The number of events that wait for `SocketClient.events` to be read. A server that sends more is disconnected.
    package var unreadEvents = 1_024
    /// In bytes: the same for their length as text.
    package var unreadBytes = 16 << 20
    /// The number of events of the server that wait for `SocketClient.acknowledge`. A server that sends more is
    /// disconnected.
    package var openAcknowledgements = 1_024
    /// In bytes: the longest message to a server whose handshake names no `maxPayload`. Common servers accept so much, and
    /// close the connection when a message is longer.
    package var unnamedPayload = 1_000_000
    /// The number of events that wait until they are sent, or for their acknowledgement.
    package var unsentEvents = 256
    /// In bytes: the length of the events that wait until they are sent.
    package var unsentBytes = 64 << 20

    package init() {}
  }
}

/// The address of a Socket.IO server, and what a client says about itself in it.
///
/// The request goes to the path `/socket.io/` with `EIO=4`, `transport=websocket` and the client's own query.
package struct SocketServerAddress: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// https, or http to this machine.
  package let origin: WebOrigin
  /// The path and the query of the request. It contains the token, so it belongs into no log.
  let target: String

  /// In bytes: of the target.
  package static let maximumTarget = 16 << 10

  /// - Parameters:
  ///   - base: `https://host`, `https://host:port`, or the same with http and the name or an address of this machine. A
  ///     slash may follow.
  ///   - query: names and values in their order, for example `intentToken` and `agentName`. They are percent-encoded.
  /// - Throws: `SocketError.invalidAddress` for any other address, and for a query that is too long.
  package init(_ base: String, query: [(name: String, value: String)] = []) throws(SocketError) {
    guard let origin = try? WebOrigin(named: base), origin.scheme == .https || origin.isLoopback else {
      throw .invalidAddress
    }
    let parameters = [("EIO", "4"), ("transport", "websocket")] + query
    let target =
      "/socket.io/?"
      + parameters.map { "\(PercentEncoding.component($0.0))=\(PercentEncoding.component($0.1))" }
      .joined(separator: "&")
    guard target.utf8.count <= Self.maximumTarget else { throw .invalidAddress }
    self.origin = origin
    self.target = target
  }

  /// Without the query, which has the token.
  package var description: String { origin.canonical }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: ["origin": origin.canonical]) }

  var isSecure: Bool { origin.scheme == .https }
  var port: Int { Int(origin.port) }

  /// The name or the address to connect to, without brackets.
  var host: String { origin.host.hasPrefix("[") ? String(origin.host.dropFirst().dropLast()) : origin.host }

  /// The value of the header `Host`.
  var hostHeader: String { String(origin.canonical.drop { $0 != "/" }.dropFirst(2)) }
}
