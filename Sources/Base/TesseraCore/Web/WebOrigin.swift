import Glibc

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

  /// Parses an origin that a user entered, for example in a grant. Its `canonical` form (RFC 6454, 6.1) is the one that
  /// browsers send. Upper case, the default port of the scheme, any spelling of an IPv6 address and a final slash are
  /// accepted.
  ///
  /// - Throws: `Failure` of the kind `usage` for a text that no browser sends: paths, user names, a final dot,
  ///   non-ASCII characters (browsers send punycode), other spellings of IPv4 addresses.
  public init(named text: String) throws(Failure) {
    func invalid(_ cause: String, _ remedy: String) -> Failure { Failure(.usage, cause, remedy: remedy) }
    let example = "For example: https://wallet.example or http://127.0.0.1:5173"
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw invalid("The web origin contains non-ASCII characters.", "Write the host name in punycode (xn--…).")
    }
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw invalid("The web origin contains spaces or control characters.", example)
    }
    guard let colon = text.firstRange(of: "://"), let origin = WebOrigin(url: text) else {
      throw invalid("The web origin is not an http or https origin.", example)
    }
    let rest = text[colon.upperBound...].drop { !"/?#".contains($0) }
    guard rest.isEmpty || rest == "/" else {
      throw invalid("The web origin contains more than scheme, host and port.", example)
    }
    guard let host = Self.canonicalHost(origin.host), origin.port != 0 else {
      throw invalid("The web origin has an invalid host or port.", example)
    }
    self.init(origin.scheme, host, port: origin.port)
  }

  /// Parses the `Origin` header of a request; nil unless the text is canonical, as browsers send it.
  package init?(header text: String) {
    guard let origin = WebOrigin(url: text), origin.canonical == text, Self.canonicalHost(origin.host) == origin.host
    else { return nil }
    self = origin
  }

  /// Whether the host is this machine for any name server: `localhost` and its subdomains (RFC 6761, 6.3), and the
  /// loopback addresses.
  package var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The host in its canonical form; nil if it is neither a host name nor an address.
  private static func canonicalHost(_ host: String) -> String? {
    if host.hasPrefix("[") { return canonicalAddress(host.dropFirst().dropLast()).map { "[\($0)]" } }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard host.utf8.count <= 253, labels.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 63 }) else { return nil }
    // Browsers treat a host that ends in a number as an IPv4 address.
    guard let last = labels.last?.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last) else {
      return host
    }
    guard labels.count == 4 else { return nil }
    return labels.allSatisfy { UInt8($0).map { String($0) } == String($0) } ? host : nil
  }

  /// An IPv6 address in the form of RFC 5952.
  private static func canonicalAddress(_ text: Substring) -> String? {
    var address = in6_addr()
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_pton(AF_INET6, String(text), &address) == 1,
      inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil
    else { return nil }
    let form = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Browsers and the C library write addresses with an embedded IPv4 address differently.
    return form.contains(".") ? nil : form
  }
}
