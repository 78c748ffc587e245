public import TesseraCore
public import TesseraGrants

/// A page of the service itself, at `/` of its loopback address: an ordinary page with grants for its own origin.
///
/// A page of another origin may open it in a window of the browser, with its own origin as the parameter `targetOrigin`,
/// and receives the result by messages between both windows (`self:ready`, `self:result`, `self:dismiss`; it may send
/// `self:cancel`). This needs a grant of `nfc.scan` for that origin, since the result contains what the scan read.
public struct ServicePage: Sendable {
  /// Its start page is `index.html`. Its policy gets the address of the WebSocket as a further `connect-src`.
  public var content: BundledContent
  /// What the page may do.
  public var permissions: Set<Grant.Permission>

  public init(_ content: BundledContent, permissions: Set<Grant.Permission>) {
    self.content = content
    self.permissions = permissions
  }

  /// The grants of the origins under which the page is found.
  func grants(_ hosts: Set<String>) -> [Grant] {
    hosts.compactMap { WebOrigin(url: "http://\($0)/") }.map { Grant(.web(origin: $0.canonical), permissions) }
  }
}

extension ServicePage {
  /// The page that reads and verifies a document, with the permissions that it needs.
  package static func verification(_ content: BundledContent) -> ServicePage {
    let methods: [(BridgeDomain, [String?])] = [
      (.camera, ["scanMRZ", "scanSeal"]), (.crypto, ["generateKey", "getPublicKey", "sign"]), (.haptic, ["trigger"]),
      (.lifecycle, [nil]), (.nfc, ["scanReport"]),
    ]
    return ServicePage(
      content, permissions: Set(methods.flatMap { domain, names in names.map { Grant.Permission(domain, $0) } }))
  }
}
