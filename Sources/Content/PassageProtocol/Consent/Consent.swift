package import TesseraCore

/// What the person agreed to: websites by scheme, host and port, and the domains of their cookies, which have neither a
/// scheme nor a port.
package struct Consent: Sendable, Equatable {
  /// What one question was about: the origin that it names, and the domains that it lists.
  private struct Answer: Equatable {
    let site: WebOrigin
    let domains: CookieDomains

    func contains(_ origin: WebOrigin) -> Bool {
      guard domains.contains(host: origin.host) else { return false }
      guard site.host != origin.host else { return site == origin }
      return origin == WebOrigin(.https, origin.host) || site.scheme == origin.scheme && site.port == origin.port
    }
  }
  private var answers: [Answer]

  /// - Parameters:
  ///   - site: the website that the question names.
  ///   - domains: its host, and the domains that the question lists.
  package init(_ site: WebOrigin, _ domains: CookieDomains) { answers = [Answer(site: site, domains: domains)] }

  /// The domains of all questions: cookies have no port.
  package var domains: CookieDomains { answers.reduce(CookieDomains([])) { $0.union($1.domains) } }

  /// Whether the pages of this origin are meant.
  ///
  /// Another port is another program, which the person was not asked about: of the host that a question names only the
  /// named port counts. Other hosts of its domains count with the standard port of https, and with that of its site. The
  /// domains of one question and the port of another are no answer to any.
  package func contains(_ origin: WebOrigin) -> Bool { answers.contains { $0.contains(origin) } }

  /// Adds what another question was about.
  mutating func add(_ other: Consent) { answers += other.answers.filter { !answers.contains($0) } }
}

extension WebOrigin {
  /// The host, and the port unless it is that of https: how a question names a website.
  var siteName: String { self == WebOrigin(.https, host) ? host : "\(host):\(port)" }
}
