import Bridge
import Foundation
import NIOHTTP1

/// Who of those that speak HTTP to the loopback port gets what. Two things are there, `/bridge` and `/bridge.js`, and both
/// only for a browser that means this very address: the Host header keeps out names that were bent to loopback (DNS
/// rebinding), and the Origin header, which a page cannot choose, tells who asks (RFC 6455, 10.2).
///
/// The script is for granted pages, too: to all others nobody answers here who would answer to nobody else. A script
/// element tells its page by the Origin header where it is a module or has the attribute `crossorigin`, and else by
/// Referer, which a page can leave out and cannot choose. A browser that tells neither is still one by Fetch Metadata
/// (`Sec-Fetch-Site`, in all browsers since 2023), and gets the script only where a person typed its address. What remains
/// are programs of the local user, who can do more than pages anyway.
struct RequestGate: Sendable {
  enum Decision: Equatable {
    /// - Parameters:
    ///   - host: where the page found the service.
    ///   - origin: the one that may read it by a request of its own (CORS); a script element needs none.
    case script(host: String, origin: String?)
    case upgrade(origin: String)
    /// - Parameter from: whose page was refused for want of a grant.
    case refuse(HTTPResponseStatus, String, from: WebOrigin? = nil)
  }

  let hosts: Set<String>
  let grants: Grants

  func decide(_ head: HTTPRequestHead) -> Decision {
    let names = head.headers["Host"]
    guard names.count == 1, let name = names.first?.lowercased(), hosts.contains(name) else {
      return .refuse(.forbidden, "HOST")
    }
    // What posts and has a body was made for another protocol.
    guard head.method == .GET else { return .refuse(.methodNotAllowed, "METHOD") }
    guard !head.headers.contains(name: "Content-Length"), !head.headers.contains(name: "Transfer-Encoding") else {
      return .refuse(.badRequest, "BODY")
    }
    switch head.uri {
    case "/bridge": return upgrade(head)
    case "/bridge.js": return script(head, host: name)
    default: return .refuse(.notFound, "PATH")
    }
  }

  private func upgrade(_ head: HTTPRequestHead) -> Decision {
    let upgrades = head.headers[canonicalForm: "Upgrade"].map { $0.lowercased() }
    let connections = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
    guard head.version == .http1_1, upgrades == ["websocket"], connections.contains("upgrade") else {
      return .refuse(.upgradeRequired, "UPGRADE")
    }
    let asker = origin(head)
    guard let origin = granted(asker) else { return .refuse(.forbidden, "ORIGIN", from: asker) }
    let keys = head.headers["Sec-WebSocket-Key"]
    guard head.headers["Sec-WebSocket-Version"] == ["13"], keys.count == 1,
      keys.first.flatMap({ Data(base64Encoded: $0) })?.count == 16
    else { return .refuse(.badRequest, "HANDSHAKE") }
    return .upgrade(origin: origin)
  }

  private func script(_ head: HTTPRequestHead, host: String) -> Decision {
    if head.headers.contains(name: "Origin") {
      let asker = origin(head)
      guard let origin = granted(asker) else { return .refuse(.forbidden, "ORIGIN", from: asker) }
      return .script(host: host, origin: origin)
    }
    let referers = head.headers["Referer"]
    if !referers.isEmpty {
      let asker = referers.count == 1 ? referers.first.flatMap(WebOrigin.init(url:)) : nil
      guard granted(asker) != nil else { return .refuse(.forbidden, "ORIGIN", from: asker) }
    } else {
      let sites = head.headers["Sec-Fetch-Site"]
      guard sites.isEmpty || sites == ["none"] else { return .refuse(.forbidden, "ORIGIN") }
    }
    return .script(host: host, origin: nil)
  }

  private func granted(_ origin: WebOrigin?) -> String? {
    guard let origin, grants.knows(.web(origin: origin.canonical)) else { return nil }
    return origin.canonical
  }

  /// Of exactly one Origin header, in the form that browsers send.
  private func origin(_ head: HTTPRequestHead) -> WebOrigin? {
    let headers = head.headers["Origin"]
    return headers.count == 1 ? headers.first.flatMap(WebOrigin.init(header:)) : nil
  }
}
