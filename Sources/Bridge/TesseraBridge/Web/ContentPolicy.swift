public import TesseraCore

/// The permissions of web content by its origin (the bridge protocol, section Origins).
public struct ContentPolicy: Sendable {
  /// The path of the start page.
  public static let startPath = "/tunnel/tour/1"
  /// The default origin of content under development.
  public static let debugOrigin = WebOrigin(.http, "127.0.0.1", port: 5173)
  /// The identity provider, whose pages may be shown but may not use the bridge.
  public static let identityProvider = WebOrigin(.https, "verify.didit.me")

  /// The origins whose content may use the bridge.
  public let contentOrigins: Set<WebOrigin>
  private let config: SelfSdkConfig

  public init(_ config: SelfSdkConfig) {
    self.config = config
    var origins: Set<WebOrigin> = []
    if let remote = WebOrigin(url: config.remoteWebAppBaseURL), remote.scheme == .https { origins.insert(remote) }
    if config.isDebug {
      origins.insert(Self.debugOrigin)
      if let server = config.devServerURL.flatMap(WebOrigin.init(url:)) { origins.insert(server) }
    }
    contentOrigins = origins
  }

  /// The origins whose pages may be shown.
  public var navigationOrigins: Set<WebOrigin> { contentOrigins.union([Self.identityProvider]) }

  /// Whether the page at the address may be shown.
  public func mayNavigate(to url: String?) -> Bool { isOrigin(of: url, in: navigationOrigins) }

  /// Whether content from the address may use the bridge.
  public func mayUseBridge(_ url: String?) -> Bool { isOrigin(of: url, in: contentOrigins) }

  /// Whether content from the address may use camera and microphone.
  public func mayUseCameraAndMicrophone(_ url: String?) -> Bool { isOrigin(of: url, in: navigationOrigins) }

  private func isOrigin(of url: String?, in origins: Set<WebOrigin>) -> Bool {
    url.flatMap(WebOrigin.init(url:)).map(origins.contains) ?? false
  }

  /// Returns the address of the start page.
  ///
  /// - Parameter query: the query without the question mark; may be empty.
  /// - Throws: `Failure` if `remoteWebAppBaseURL` of released content is not an https address.
  public func startURL(query: String = "") throws(Failure) -> String {
    let base: String
    if config.isDebug {
      base = config.devServerURL ?? Self.debugOrigin.canonical
    } else {
      guard WebOrigin(url: config.remoteWebAppBaseURL)?.scheme == .https else {
        throw Failure(
          .usage, "The address of the web content is not an https address.",
          remedy: "Set remoteWebAppBaseURL to an https address, or isDebug for content under development.")
      }
      base = config.remoteWebAppBaseURL
    }
    let address = (base.hasSuffix("/") ? String(base.dropLast()) : base) + Self.startPath
    return query.isEmpty ? address : "\(address)?\(query)"
  }
}
