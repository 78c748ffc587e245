/// The origin of web content (RFC 6454): scheme, host and port.
///
/// The parser accepts less than browsers do: an address that parsers interpret differently (user names, backslashes,
/// percent signs or spaces in the authority) has no origin, and thus no rights.
public struct WebOrigin: Sendable, Hashable {
  public enum Scheme: String, Sendable {
    case http, https
    public var defaultPort: UInt16 { self == .https ? 443 : 80 }
  }

  public let scheme: Scheme
  /// The host in lower case; an IPv6 address includes its brackets.
  public let host: String
  public let port: UInt16

  public init(_ scheme: Scheme, _ host: String, port: UInt16? = nil) {
    self.scheme = scheme
    self.host = host
    self.port = port ?? scheme.defaultPort
  }

  /// Parses the origin of an address; nil if it has none.
  public init?(url: String) {
    guard let colon = url.firstRange(of: "://"), let scheme = Scheme(rawValue: url[..<colon.lowerBound].lowercased())
    else { return nil }
    let authority = url[colon.upperBound...].prefix { !"/?#".contains($0) }
    guard let (host, port) = Self.hostAndPort(authority) else { return nil }
    self.init(scheme, host, port: port)
  }

  /// The serialised origin, without the default port of the scheme.
  public var canonical: String {
    port == scheme.defaultPort ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
  }

  private static func hostAndPort(_ authority: Substring) -> (String, UInt16?)? {
    let host: Substring
    let rest: Substring
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[...end]
      rest = authority[authority.index(after: end)...]
      let address = host.dropFirst().dropLast()
      guard address.contains(":"), address.utf8.allSatisfy({ $0.hexadecimalValue != nil || ":.".utf8.contains($0) })
      else { return nil }
    } else {
      host = authority.prefix { $0 != ":" }
      rest = authority[host.endIndex...]
      guard !host.isEmpty, host.utf8.allSatisfy({ isNameByte($0) }) else { return nil }
    }
    guard !rest.isEmpty else { return (host.lowercased(), nil) }
    let digits = rest.dropFirst()
    guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let port = UInt16(digits) else {
      return nil
    }
    return (host.lowercased(), port)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
