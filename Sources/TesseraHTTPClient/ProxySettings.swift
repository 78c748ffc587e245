#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The proxy that the environment names for https, by the rules of curl: `https_proxy`, else `HTTPS_PROXY`, else `all_proxy`,
/// else `ALL_PROXY` name it; `no_proxy` or `NO_PROXY` names hosts that are reached without it.
///
/// A proxy is `http://host:port` or `host:port`, with the port 1080 if none is named; a user and a password may stand before
/// the host. The connection to the server goes through it as it is (RFC 9110, 9.3.6), so it sees the host's name only.
///
/// `no_proxy` is `*`, or a list with commas of hosts, of domains with or without a dot at their start, and of addresses; each may have a
/// port. Each domain stands for its subdomains, too.
struct ProxySettings: Sendable {
  struct Proxy: Sendable, Hashable {
    struct Credentials: Sendable, Hashable {
      let user: String
      let password: String
    }
    let host: String
    let port: Int
    let credentials: Credentials?
  }

  private let proxy: Result<Proxy, HTTPError>?
  private let exceptions: [Substring]

  init(environment: [String: String]) {
    func value(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    let text = value("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    proxy = text.map { text in Proxy(text).map { .success($0) } ?? .failure(.invalidProxy) }
    exceptions = (value("no_proxy", "NO_PROXY") ?? "").lowercased()
      .split { $0 == "," || $0 == " " }.map { $0.hasPrefix(".") ? $0.dropFirst() : $0 }
  }

  /// - Throws: `HTTPError.invalidProxy` if the environment names something else than a proxy for HTTP.
  func proxy(for address: HTTPSAddress) throws(HTTPError) -> Proxy? {
    guard let proxy, !exceptions.contains(where: { isException($0, address) }) else { return nil }
    return try proxy.get()
  }

  private func isException(_ text: Substring, _ address: HTTPSAddress) -> Bool {
    guard text != "*" else { return true }
    var name = text
    // An address of IPv6 has several colons, and a port only after a bracket.
    if let colon = text.lastIndex(of: ":"),
      text.firstIndex(of: ":") == colon || text.hasPrefix("[") && text[..<colon].hasSuffix("]")
    {
      guard Int(text[text.index(after: colon)...]) == address.port else { return false }
      name = text[..<colon]
    }
    name = name.drop { $0 == "[" }
    if name.hasSuffix("]") { name = name.dropLast() }
    return !name.isEmpty && (address.host == name || address.host.hasSuffix(".\(name)"))
  }
}

extension ProxySettings.Proxy {
  init?(_ text: String) {
    let address = text.contains("://") ? text : "http://\(text)"
    guard let url = URL(string: address), url.scheme?.lowercased() == "http", let host = url.host(), !host.isEmpty,
      1...0xFFFF ~= url.port ?? 1080
    else { return nil }
    self.host = host
    port = url.port ?? 1080
    credentials = url.user(percentEncoded: false).map {
      Credentials(user: $0, password: url.password(percentEncoded: false) ?? "")
    }
  }
}
