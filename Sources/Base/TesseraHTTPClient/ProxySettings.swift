import TesseraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The proxy that the environment names for https, by the variables of curl: `https_proxy`, else `HTTPS_PROXY`, else
/// `all_proxy`, else `ALL_PROXY` name it; `no_proxy` or `NO_PROXY` names hosts that are reached without it.
///
/// A proxy is `http://host:port` or `host:port`, with the port 1080 if none is named; a user and a password may stand before
/// the host. The connection to the server goes through it as it is (RFC 9110, 9.3.6), so it sees the host's name only.
///
/// `no_proxy` is a list with commas or spaces of hosts, of domains with or without a dot at their start, and of addresses;
/// an address with a slash and a number of bits stands for a network (`10.0.0.0/8`, `2001:db8::/32`). Each domain stands
/// for its subdomains, too; a final dot does not count. Beyond curl, an entry may have a port, an address of IPv6 may have
/// brackets, `*` for all hosts may be one of several entries, and a network of no bits is all addresses of its kind.
package struct ProxySettings: Sendable {
  package struct Proxy: Sendable, Hashable {
    package struct Credentials: Sendable, Hashable {
      package let user: String
      package let password: String
    }
    package let host: String
    package let port: Int
    package let credentials: Credentials?
  }

  private let proxy: Result<Proxy, HTTPError>?
  private let exceptions: ProxyExceptions

  init(environment: [String: String]) {
    func value(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    let text = value("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    proxy = text.map { text in Proxy(text).map { .success($0) } ?? .failure(.invalidProxy) }
    exceptions = ProxyExceptions(value("no_proxy", "NO_PROXY") ?? "")
  }

  /// - Throws: `HTTPError.invalidProxy` if the environment names something else than a proxy for HTTP.
  package func proxy(for address: HTTPSAddress) throws(HTTPError) -> Proxy? {
    guard let proxy, !exceptions.contains(address) else { return nil }
    return try proxy.get()
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
    // libcurl would stop at the byte 0, or refuse it.
    if let credentials, (credentials.user + credentials.password).utf8.contains(0) { return nil }
  }
}
