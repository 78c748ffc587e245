package import TesseraCore

/// What the user agreed to: websites by scheme, host and port, and the domains of their cookies, which have neither a
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
  /// Another port is another program, which the user was not asked about: of the host that a question names only the
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

/// What the user agrees to before anything of a third party's page leaves the machine.
package struct ConsentRequest: Sendable, Equatable {
  /// The heading, one line.
  package var title: String
  /// What leaves the machine, one sentence each.
  package var sentences: [String]
  /// What the answer is for.
  package var consent: Consent

  package init(title: String, sentences: [String], consent: Consent) {
    self.title = title
    self.sentences = sentences
    self.consent = consent
  }

  /// - Parameters:
  ///   - site: the page of the third party.
  ///   - domains: its host, and others whose websites and cookies are meant.
  ///   - claim: how the server calls it; it is shown as a claim of the server.
  ///   - screenshot: what is photographed, if anything.
  package init(
    site: WebAddress, name claim: String?, domains: CookieDomains, screenshot: ScreenshotKind?, servers: PassageServers
  ) {
    let hosts = Self.hosts([servers.automation, servers.socket] + (servers.session.map { [$0] } ?? []))
    let receive = hosts.count == 1 ? "This server receives" : "These servers receive"
    let name = site.origin.siteName
    title = "Let a server use \(name) for you?"
    consent = Consent(site.origin, domains)
    sentences = [
      "\(Self.list(hosts)) will operate \(name) in this window as you: open pages, click, type and run programs "
        + "in them.",
      "This is about the following websites: \(Self.list(Self.websites(site.origin, domains))).",
      "\(receive) the addresses and the whole content of their pages that this window shows, and can read what you type "
        + "there, passwords too.",
      "\(receive) what these websites keep in this window, such as the cookies that keep you signed in. Whoever has "
        + "them may be able to use your account there without your password.",
    ]
    switch screenshot {
    case .modal:
      sentences.append("\(receive) pictures of this whole window, again and again. A sign in the window shows it.")
    case .automation:
      sentences.append("\(receive) pictures of these pages, again and again. A sign in the window shows it.")
    case nil: break
    }
    if let claim, !claim.isEmpty {
      sentences.append("The server calls this website “\(claim.shortened(to: 80))”. Nobody has checked that name.")
    }
    sentences.append("Other websites may appear in this window, but nothing of them is sent.")
    sentences.append("Close the window to end this. The command “tessera-passage log” lists what was sent.")
  }

  private static func hosts(_ addresses: [WebAddress]) -> [String] {
    var hosts: [String] = []
    for address in addresses where !hosts.contains(address.host) { hosts.append(address.host) }
    return hosts
  }

  /// The domains in words. What a domain with all below it includes is not said twice.
  private static func websites(_ site: WebOrigin, _ domains: CookieDomains) -> [String] {
    let entries = domains.entries
    let hasPort = site.siteName != site.host
    let others: [String] = entries.compactMap { entry in
      // A name without a port says nothing about this one.
      if hasPort, entry == site.host { return nil }
      let more = hasPort ? ", also at port \(site.port)" : ""
      if entry.hasPrefix(".") { return "\(entry.dropFirst()) with all names that end in \(entry)\(more)" }
      let others = CookieDomains(entries.filter { $0 != entry })
      return others.contains(host: entry) ? nil : entry + more
    }
    return (hasPort ? [site.siteName] : []) + others
  }

  private static func list(_ names: [String]) -> String {
    names.count < 2
      ? names.first ?? "none" : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }
}

extension CookieDomains {
  /// The domains that a session asks the user's consent for: the host of the third party's page, and the domains of
  /// the configuration. Without any, those that belong to the host.
  package static func consented(site: WebAddress, configuration: CookieDomains) -> CookieDomains {
    configuration.isEmpty
      ? CookieDomains(ofHost: site.host) : CookieDomains([site.host]).union(configuration)
  }
}
