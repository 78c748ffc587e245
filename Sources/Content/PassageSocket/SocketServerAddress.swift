internal import NIOCore
package import TesseraCore
internal import TesseraHTTPClient

/// The address of a Socket.IO server, and what a client says about itself in it.
///
/// The request goes to the path `/socket.io/` with `EIO=4`, `transport=websocket` and the client's own query (the
/// dossier, section 2.6).
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

  /// The name that TLS sends to the server; nil for an address, which it must not send (RFC 6066, 3).
  var serverName: String? { (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil }

  /// The value of the header `Host`.
  var hostHeader: String { String(origin.canonical.drop { $0 != "/" }.dropFirst(2)) }
}
