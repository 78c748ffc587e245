import FoundationEssentials
import Glibc
import NIOHTTP1
import TesseraBridge
import TesseraCore

/// Decides about each HTTP request to the loopback port. The port serves `/bridge`, the scripts of `BridgeScript` and
/// the files of the service's own page. The Host header must name this address, which prevents DNS rebinding. The
/// Origin header identifies the page, which cannot choose it (RFC 6455, 10.2).
///
/// Only granted pages receive the script, so that pages elsewhere cannot detect the service. Those of this machine receive
/// one that names the command for a grant. For a script element that is a
/// module or has the attribute `crossorigin`, the Origin header names the page. For others the Referer header does,
/// which a page can omit and cannot forge. Without both, the Fetch Metadata header `Sec-Fetch-Site` (all browsers since
/// 2023) identifies a request of a browser; it receives the script only for an address that the user typed and for the
/// service's own page. The remaining requests come from local programs, which have more access than pages anyway.
struct RequestGate: Sendable {
  enum Decision: Equatable {
    /// - Parameters:
    ///   - host: the host and port under which the page found the service.
    ///   - origin: the origin that may read the script with a CORS request. A script element needs none.
    case script(BridgeScript, host: String, origin: String?)
    /// A script that only says which command grants the page something, for pages of this machine.
    case explain(BridgeScript, of: WebOrigin, hasOrigin: Bool)
    case upgrade(origin: String)
    /// The question of a browser whether this page may read the script.
    case preflight(origin: String)
    /// - Parameters:
    ///   - host: as above.
    ///   - hasOpener: whether the page may send messages to the page that opened it.
    case file(BundledContent.File, host: String, hasOpener: Bool)
    /// - Parameter from: the origin of the page, if its grant is missing.
    case refuse(HTTPResponseStatus, String, from: WebOrigin? = nil)
  }

  let hosts: Set<String>
  let grants: ConnectionGrants
  let page: BundledContent?

  func decide(_ head: HTTPRequestHead) -> Decision {
    let names = head.headers["Host"]
    guard names.count == 1, let name = names.first?.lowercased(), hosts.contains(name) else {
      return .refuse(.forbidden, "HOST")
    }
    // A page may add a query, for example against a cache.
    let path = String(head.uri.prefix { $0 != "?" })
    if head.method == .OPTIONS, BridgeScript(rawValue: path) != nil, let origin = preflight(head) {
      return .preflight(origin: origin)
    }
    // A body indicates a request for another protocol (cross-protocol attack).
    guard [.GET, .HEAD].contains(head.method) else { return .refuse(.methodNotAllowed, "METHOD") }
    guard !head.headers.contains(name: "Content-Length"), !head.headers.contains(name: "Transfer-Encoding") else {
      return .refuse(.badRequest, "BODY")
    }
    if head.uri == "/bridge" { return upgrade(head) }
    if let file = BridgeScript(rawValue: path) { return script(file, head, host: name) }
    return file(head, host: name)
  }

  /// A file of the service's own page. Other pages cannot load it, since they could detect the service by it. A page
  /// that names its origin and may scan may open it in a window.
  private func file(_ head: HTTPRequestHead, host: String) -> Decision {
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0] == "/" ? "index.html" : String(parts[0].dropFirst())
    guard let file = page?.files[path] else { return .refuse(.notFound, "PATH") }
    if path == "index.html", let name = Self.value(of: "targetOrigin", in: parts.count > 1 ? parts[1] : "") {
      let opener = WebOrigin(header: name)
      guard let opener, grants.allows(.web(origin: opener.canonical), .nfc, "scan") else {
        return .refuse(.forbidden, "OPENER", from: opener)
      }
      return .file(file, host: host, hasOpener: true)
    }
    guard isOwn(head) else { return .refuse(.forbidden, "SITE") }
    return .file(file, host: host, hasOpener: false)
  }

  /// The value of a parameter that occurs once; empty if it occurs more often or is malformed. The page decodes names,
  /// too, so that another spelling of the name is the same parameter.
  private static func value(of name: String, in query: Substring) -> String? {
    let values = query.split(separator: "&").compactMap { field -> Substring? in
      let end = field.firstIndex(of: "=") ?? field.endIndex
      // A malformed name may mean anything to a browser.
      let isNamed = (field[..<end].percentDecoded ?? name) == name
      return isNamed ? field[end...].dropFirst() : nil
    }
    guard let value = values.first else { return nil }
    return values.count == 1 ? value.percentDecoded ?? "" : ""
  }

  private func upgrade(_ head: HTTPRequestHead) -> Decision {
    let upgrades = head.headers[canonicalForm: "Upgrade"].map { $0.lowercased() }
    let connections = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
    guard head.method == .GET, head.version == .http1_1, upgrades == ["websocket"], connections.contains("upgrade")
    else {
      return .refuse(.upgradeRequired, "UPGRADE")
    }
    let requester = origin(head)
    guard let origin = granted(requester) else { return .refuse(.forbidden, "ORIGIN", from: requester) }
    let keys = head.headers["Sec-WebSocket-Key"]
    let versions = head.headers["Sec-WebSocket-Version"]
    // The answer has the right one (RFC 6455, 4.4).
    guard versions.count != 1 || versions == ["13"] else { return .refuse(.upgradeRequired, "UPGRADE") }
    guard versions == ["13"], keys.count == 1, keys.first.flatMap({ Data(base64Encoded: $0) })?.count == 16
    else { return .refuse(.badRequest, "HANDSHAKE") }
    return .upgrade(origin: origin)
  }

  /// Chromium 104 to 141 ask so before a page of another address space loads something of this machine (Private Network
  /// Access); a policy of an enterprise demands the answer.
  ///
  /// - Returns: the origin if it has a grant.
  private func preflight(_ head: HTTPRequestHead) -> String? {
    guard head.headers["Access-Control-Request-Method"] == ["GET"] else { return nil }
    return granted(origin(head))
  }

  private func script(_ script: BridgeScript, _ head: HTTPRequestHead, host: String) -> Decision {
    if head.headers.contains(name: "Origin") {
      let requester = origin(head)
      guard let origin = granted(requester) else { return refusal(of: script, to: requester, hasOrigin: true) }
      return .script(script, host: host, origin: origin)
    }
    let referers = head.headers["Referer"]
    if !referers.isEmpty {
      let requester = referers.count == 1 ? referers.first.flatMap(WebOrigin.init(url:)) : nil
      guard granted(requester) != nil else { return refusal(of: script, to: requester, hasOrigin: false) }
    } else {
      guard isOwn(head) else { return .refuse(.forbidden, "ORIGIN") }
    }
    return .script(script, host: host, origin: nil)
  }

  private func refusal(of script: BridgeScript, to origin: WebOrigin?, hasOrigin: Bool) -> Decision {
    guard let origin, origin.isLoopback else { return .refuse(.forbidden, "ORIGIN", from: origin) }
    return .explain(script, of: origin, hasOrigin: hasOrigin)
  }

  /// Whether no other page caused the request: the user typed the address, the service's own page asks, or a program
  /// does.
  private func isOwn(_ head: HTTPRequestHead) -> Bool {
    let sites = head.headers["Sec-Fetch-Site"]
    return sites.isEmpty || sites == ["none"] || sites == ["same-origin"]
  }

  private func granted(_ origin: WebOrigin?) -> String? {
    guard let origin, grants.knows(.web(origin: origin.canonical)) else { return nil }
    return origin.canonical
  }

  /// The origin in the form that browsers send. Exactly one Origin header is required.
  private func origin(_ head: HTTPRequestHead) -> WebOrigin? {
    let headers = head.headers["Origin"]
    return headers.count == 1 ? headers.first.flatMap(WebOrigin.init(header:)) : nil
  }
}
