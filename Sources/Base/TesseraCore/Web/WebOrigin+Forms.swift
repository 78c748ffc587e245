import Glibc

extension WebOrigin {
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
