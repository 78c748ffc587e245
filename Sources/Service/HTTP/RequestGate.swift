import Bridge
import Foundation
import NIOHTTP1

/// Who of those that speak HTTP to the loopback port gets what. Two things are there, `/bridge` and `/bridge.js`, and both
/// only for a browser that means this very address: the Host header keeps out names that were bent to loopback (DNS
/// rebinding), and the Origin header, which a page cannot choose, tells who asks (RFC 6455, 10.2).
struct RequestGate: Sendable {
  enum Decision: Equatable {
    /// - Parameter origin: the one that may read it by a request of its own (CORS); a script element needs none.
    case script(origin: String?)
    case upgrade(origin: String)
    case refuse(HTTPResponseStatus, String)
  }

  let hosts: Set<String>
  let grants: Grants

  func decide(_ head: HTTPRequestHead) -> Decision {
    let names = head.headers["Host"]
    guard names.count == 1, let name = names.first, hosts.contains(name.lowercased()) else {
      return .refuse(.forbidden, "HOST")
    }
    // What posts and has a body was made for another protocol.
    guard head.method == .GET else { return .refuse(.methodNotAllowed, "METHOD") }
    guard !head.headers.contains(name: "Content-Length"), !head.headers.contains(name: "Transfer-Encoding") else {
      return .refuse(.badRequest, "BODY")
    }
    switch head.uri {
    case "/bridge": return upgrade(head)
    case "/bridge.js": return script(head)
    default: return .refuse(.notFound, "PATH")
    }
  }

  private func upgrade(_ head: HTTPRequestHead) -> Decision {
    let upgrades = head.headers[canonicalForm: "Upgrade"].map { $0.lowercased() }
    let connections = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
    guard head.version == .http1_1, upgrades == ["websocket"], connections.contains("upgrade") else {
      return .refuse(.upgradeRequired, "UPGRADE")
    }
    guard let origin = grantedOrigin(head) else { return .refuse(.forbidden, "ORIGIN") }
    let keys = head.headers["Sec-WebSocket-Key"]
    guard head.headers["Sec-WebSocket-Version"] == ["13"], keys.count == 1,
      keys.first.flatMap({ Data(base64Encoded: $0) })?.count == 16
    else { return .refuse(.badRequest, "HANDSHAKE") }
    return .upgrade(origin: origin)
  }

  private func script(_ head: HTTPRequestHead) -> Decision {
    guard head.headers.contains(name: "Origin") else { return .script(origin: nil) }
    guard let origin = grantedOrigin(head) else { return .refuse(.forbidden, "ORIGIN") }
    return .script(origin: origin)
  }

  /// Of exactly one Origin header, in the form that browsers send.
  private func grantedOrigin(_ head: HTTPRequestHead) -> String? {
    let headers = head.headers["Origin"]
    guard headers.count == 1, let origin = headers.first.flatMap(WebOrigin.init(header:)),
      grants.knows(.web(origin: origin.canonical))
    else { return nil }
    return origin.canonical
  }
}
