#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An address with the scheme https, and without a user's name or password.
public struct HTTPSAddress: Sendable, Equatable, CustomStringConvertible {
  private let url: URL
  /// In lower case.
  public let host: String
  public let port: Int

  public var text: String { url.absoluteString }
  public var description: String { text }

  /// - Throws: `HTTPError.notHTTPS` or `HTTPError.invalidAddress`.
  public init(_ text: String) throws(HTTPError) {
    guard let url = Self.url(text, relativeTo: nil) else { throw .invalidAddress }
    try self.init(url)
  }

  /// An address that another one contains: an absolute one, or one relative to it (RFC 3986, 5).
  ///
  /// - Throws: `HTTPError.notHTTPS` or `HTTPError.invalidAddress`.
  public init(_ text: String, relativeTo base: HTTPSAddress) throws(HTTPError) {
    guard let url = Self.url(text, relativeTo: base.url) else { throw .invalidAddress }
    try self.init(url)
  }

  private init(_ url: URL) throws(HTTPError) {
    guard url.scheme?.lowercased() == "https" else { throw .notHTTPS }
    guard let host = url.host(), !host.isEmpty, url.user() == nil, url.password() == nil else { throw .invalidAddress }
    let port = url.port ?? 443
    guard 1...0xFFFF ~= port else { throw .invalidAddress }
    self.url = url
    self.host = host.lowercased()
    self.port = port
  }

  /// Whether both addresses are of one server: the same host and port.
  public func hasSameHost(as other: HTTPSAddress) -> Bool { host == other.host && port == other.port }

  /// - Parameter location: The header of the response, an absolute or a relative address (RFC 9110, 10.2.2).
  func redirected(to location: String?, onlySameHost: Bool) throws(HTTPError) -> HTTPSAddress {
    guard let location, let target = Self.url(location, relativeTo: url) else { throw .redirect(.invalid) }
    guard target.scheme?.lowercased() == "https" else { throw .redirect(.notHTTPS) }
    guard let address = try? HTTPSAddress(target) else { throw .redirect(.invalid) }
    guard !onlySameHost || address.hasSameHost(as: self) else { throw .redirect(.otherHost(address.host)) }
    return address
  }

  private static func url(_ text: String, relativeTo base: URL?) -> URL? {
    // `URL` repairs spaces and control characters.
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
    return URL(string: text, relativeTo: base)?.absoluteURL
  }
}
