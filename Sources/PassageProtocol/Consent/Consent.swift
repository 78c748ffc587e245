package import TesseraCore

/// What the person agreed to: websites by scheme, host and port, and the domains of their cookies, which have neither a
/// scheme nor a port.
package struct Consent: Sendable, Equatable {
  package private(set) var domains: CookieDomains
  /// The origins that a question named.
  private var sites: [WebOrigin]

  /// - Parameters:
  ///   - site: the website that the question names.
  ///   - domains: its host, and the domains that the question lists.
  package init(_ site: WebOrigin, _ domains: CookieDomains) {
    sites = [site]
    self.domains = domains
  }

  /// Whether the pages of this origin are meant.
  ///
  /// Another port is another program, which the person was not asked about: of a host that a question named only the
  /// named port counts. Other hosts of the domains count with the standard port of https, and with that of a named site.
  package func contains(_ origin: WebOrigin) -> Bool {
    guard domains.contains(host: origin.host) else { return false }
    guard !sites.contains(where: { $0.host == origin.host }) else { return sites.contains(origin) }
    return origin == WebOrigin(.https, origin.host)
      || sites.contains { $0.scheme == origin.scheme && $0.port == origin.port }
  }

  /// Adds what another question was about.
  mutating func add(_ other: Consent) {
    domains = domains.union(other.domains)
    sites += other.sites.filter { !sites.contains($0) }
  }
}

extension WebOrigin {
  /// The host, and the port unless it is that of https: how a question names a website.
  var siteName: String { self == WebOrigin(.https, host) ? host : "\(host):\(port)" }
}
