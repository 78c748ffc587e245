public import Failures
import Glibc

extension WebOrigin {
  /// The origin that a person names: in a grant, as the owner of keys or secrets, as the one who calls. Its `canonical` form
  /// (RFC 6454, 6.1) is what a browser sends, and what everything of that origin is kept under. Capital letters, the
  /// scheme's own port, other spellings of an IPv6 address and a final slash make no other origin.
  ///
  /// - Throws: `Failure` of the kind `usage` for what no browser would send: paths, user names, a final point, letters
  ///   beyond ASCII (their punycode is what is sent), other spellings of IPv4 addresses.
  public init(named text: String) throws(Failure) {
    func wrong(_ cause: String, _ remedy: String) -> Failure { Failure(.usage, cause, remedy: remedy) }
    let example = "For example: https://wallet.example or http://127.0.0.1:5173"
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw wrong("The web origin has letters beyond ASCII.", "Write the host's name in punycode (xn--…).")
    }
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw wrong("The web origin has spaces or control characters in it.", example)
    }
    guard let colon = text.firstRange(of: "://"), let origin = WebOrigin(url: text) else {
      throw wrong("The web origin is not one of http or https.", example)
    }
    let rest = text[colon.upperBound...].drop { !"/?#".contains($0) }
    guard rest.isEmpty || rest == "/" else {
      throw wrong("The web origin has more than scheme, host and port.", example)
    }
    guard let host = Self.canonicalHost(origin.host), origin.port != 0 else {
      throw wrong("The web origin has a host or a port that no browser sends.", example)
    }
    self.init(origin.scheme, host, port: origin.port)
  }

  /// The origin of a request's header; nil for everything but the one canonical form, which is what browsers send.
  public init?(header text: String) {
    guard let origin = WebOrigin(url: text), origin.canonical == text, Self.canonicalHost(origin.host) == origin.host
    else { return nil }
    self = origin
  }

  /// Whether its host is this machine, whatever any name server says: `localhost` and the names below it (RFC 6761, 6.3),
  /// and the addresses of loopback.
  public var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// nil for no host name and no address.
  private static func canonicalHost(_ host: String) -> String? {
    if host.hasPrefix("[") { return canonicalAddress(host.dropFirst().dropLast()).map { "[\($0)]" } }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard host.utf8.count <= 253, labels.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 63 }) else { return nil }
    // What ends in a number is an IPv4 address to a browser, whatever else it looks like.
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
    // Browsers write addresses that hold one of IPv4 in another form than the C library does.
    return form.contains(".") ? nil : form
  }
}
