public import Failures

/// Which addresses content of a host may come from, and what each of them may do (dossier, 6.5).
public struct ContentPolicy: Sendable {
  /// The path at which content begins.
  public static let startPath = "/tunnel/tour/1"
  /// Where content is served while it is developed, if no other server is named.
  public static let debugOrigin = WebOrigin(.http, "127.0.0.1", port: 5173)
  /// Checks documents for the content, and is a page like any other: it has no bridge.
  public static let identityProvider = WebOrigin(.https, "verify.didit.me")

  /// Whose content may use the bridge.
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

  /// Whose pages may be shown.
  public var navigationOrigins: Set<WebOrigin> { contentOrigins.union([Self.identityProvider]) }

  public func mayNavigate(to url: String?) -> Bool { isOrigin(of: url, in: navigationOrigins) }
  public func mayUseBridge(_ url: String?) -> Bool { isOrigin(of: url, in: contentOrigins) }
  public func mayUseCameraAndMicrophone(_ url: String?) -> Bool { isOrigin(of: url, in: navigationOrigins) }

  private func isOrigin(of url: String?, in origins: Set<WebOrigin>) -> Bool {
    url.flatMap(WebOrigin.init(url:)).map(origins.contains) ?? false
  }

  /// The address at which content is opened.
  ///
  /// - Parameter query: without the question mark; may be empty.
  /// - Throws: `Failure` for released content that is not served over https.
  public func startURL(query: String = "") throws(Failure) -> String {
    let base: String
    if config.isDebug {
      base = config.devServerURL ?? Self.debugOrigin.canonical
    } else {
      guard WebOrigin(url: config.remoteWebAppBaseURL)?.scheme == .https else {
        throw Failure(
          .usage, "The address of the web content is not one of https.",
          remedy: "Set remoteWebAppBaseURL to an https address, or isDebug for content under development.")
      }
      base = config.remoteWebAppBaseURL
    }
    let address = (base.hasSuffix("/") ? String(base.dropLast()) : base) + Self.startPath
    return query.isEmpty ? address : "\(address)?\(query)"
  }
}
