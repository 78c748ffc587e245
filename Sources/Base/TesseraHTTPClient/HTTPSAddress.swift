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

  /// The address as libcurl gets it. It contains the host and the port by which this program decides about proxies and
  /// redirects, so that libcurl, which reads addresses in its own way, cannot find another host in it. nil if the host
  /// has characters that neither a name nor an address has.
  var normalized: String? {
    guard let authority = Self.authority(host) else { return nil }
    // What follows the scheme, the colon and two slashes, and then the authority (RFC 3986, 3). A fragment is not sent.
    let rest = text.drop { $0 != ":" }.dropFirst(3)
    let target = rest.drop { !"/?#".contains($0) }.prefix { $0 != "#" }
    return "https://\(authority):\(port)\(target.hasPrefix("/") ? "" : "/")\(target)"
  }

  /// A host as it stands in an address: one of IPv6 has brackets (RFC 3986, 3.2.2). nil if it is no host.
  static func authority(_ host: String) -> String? {
    let name = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    let isIPv6 = name.utf8.contains(UInt8(ascii: ":"))
    let isHost = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      // The second one begins the name of an interface.
      case UInt8(ascii: ":"), UInt8(ascii: "%"): isIPv6
      default: false
      }
    }
    guard isHost, !name.isEmpty else { return nil }
    return isIPv6 ? "[\(name)]" : name
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

  /// The address of a redirect without what may be secret: a query, a fragment, a user, parameters of the path. nil if
  /// there is none, or if it is long.
  func plain(_ location: String?) -> String? {
    guard let location, let target = Self.url(location, relativeTo: url),
      var parts = URLComponents(url: target, resolvingAgainstBaseURL: true)
    else { return nil }
    (parts.query, parts.fragment, parts.user, parts.password) = (nil, nil, nil, nil)
    parts.path = String(parts.path.prefix { $0 != ";" })
    return parts.string.flatMap { $0.utf8.count <= 200 ? $0 : nil }
  }

  private static func url(_ text: String, relativeTo base: URL?) -> URL? {
    // `URL` repairs spaces and control characters.
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
    return URL(string: text, relativeTo: base)?.absoluteURL
  }
}

/// Percent-encoding of one part of an address (RFC 3986, 2.1).
package enum PercentEncoding {
  package static func component(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + byte.hexadecimal
      }
    }
    return encoded
  }
}
