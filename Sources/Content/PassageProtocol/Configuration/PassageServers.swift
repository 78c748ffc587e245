package import TesseraCore

/// The addresses of a configuration, checked.
package struct PassageServers: Sendable, Equatable {
  package let ui: WebAddress
  package let api: WebAddress
  package let socket: WebAddress
  package let session: WebAddress?
  /// The configuration, results and browser states (Passage.md, rule 2).
  package let automation: WebAddress
  package let analytics: WebAddress?

  /// - Throws: `Failure` of the kind `usage` that names the member with an unusable address.
  package init(_ config: PassageConfig) throws(Failure) {
    ui = try Self.address(config.uiUrl, "uiUrl")
    api = try Self.address(config.apiUrl, "apiUrl")
    socket = try Self.optional(config.socketUrl, "socketUrl") ?? api
    session = try Self.optional(config.sessionUrl, "sessionUrl")
    automation = try Self.optional(config.automationUrl, "automationUrl") ?? api
    analytics = try Self.optional(config.analyticsUrl, "analyticsUrl")
  }

  /// Whether a page of this origin may be shown: one of https, and the UI page. One of this machine only if the servers
  /// that drive the pages are on it, as in tests: no other server reaches the programs of this machine through the
  /// window.
  package func mayShow(_ origin: WebOrigin) -> Bool {
    if origin == ui.origin { return true }
    guard origin.isOfThisMachine else { return origin.scheme == .https }
    return socket.origin.isLoopback && automation.origin.isLoopback
  }

  private static func optional(_ text: String?, _ name: String) throws(Failure) -> WebAddress? {
    guard let text else { return nil }
    return try address(text, name)
  }

  private static func address(_ text: String, _ name: String) throws(Failure) -> WebAddress {
    guard let address = WebAddress(text), address.rest.isEmpty else {
      throw Failure(
        .usage, "“\(name)” of the configuration of Passage is not the address of a server.",
        remedy: "Write it as https://HOST or https://HOST/PATH, without a query.", details: ["member": name])
    }
    guard address.isSecure else {
      throw Failure(
        .usage, "“\(name)” of the configuration of Passage is an address without https.",
        remedy: "Use https; http is accepted for servers on this machine only.", details: ["member": name])
    }
    return address
  }
}

extension WebOrigin {
  /// Whether a connection to the host reaches this machine without a name server: also by the names with a final dot,
  /// by the addresses without a machine, and by IPv4 addresses in the form of IPv6.
  var isOfThisMachine: Bool {
    if isLoopback || ["0.0.0.0", "[::]"].contains(host) || host.hasPrefix("[::ffff:") { return true }
    return host.hasSuffix(".") && WebOrigin(scheme, String(host.dropLast()), port: port).isOfThisMachine
  }
}

extension WebAddress {
  /// The address of a path below this one.
  ///
  /// - Parameter path: begins with `/`, or is empty for this address.
  func appending(_ path: String) -> String {
    let base = self.path.hasSuffix("/") ? self.path.dropLast() : self.path[...]
    return origin.canonical + (path.isEmpty ? self.path : base + path)
  }
}

/// What a program tells Passage: the servers, and who the program is. No address is built in.
///
/// Every address is one of https, or of http on this machine for tests. It may have a path, to which the paths of
/// requests are added.
public struct PassageConfig: Sendable, Equatable {
  /// Where the branded page is: the start page is `{uiUrl}/connect`.
  public var uiUrl: String
  /// The server of the automation.
  public var apiUrl: String
  /// The server of the socket; nil for `apiUrl`.
  public var socketUrl: String?
  /// The server that also records the results; nil for none.
  public var sessionUrl: String?
  /// Where the configuration is, and where results and browser states go; nil for `apiUrl`.
  public var automationUrl: String?
  /// The namespace of the socket.
  public var socketNamespace = "/ws"
  /// The name of the program for the servers.
  public var agentName = "tessera-passage"
  /// Whether `join` is sent when the socket is connected. The query of the connection says the same.
  public var sendsJoin = true
  /// Whether results are also sent over the socket, as the event `commandResult`.
  public var sendsResultsOverSocket = true
  /// Where statistics of use go; nil for none, which is the default.
  public var analyticsUrl: String?

  public init(uiUrl: String, apiUrl: String, socketUrl: String? = nil, sessionUrl: String? = nil) {
    self.uiUrl = uiUrl
    self.apiUrl = apiUrl
    self.socketUrl = socketUrl
    self.sessionUrl = sessionUrl
  }
}
