/// What a person agrees to before anything of a third party's page leaves the machine (7).
package struct ConsentRequest: Sendable, Equatable {
  /// The heading, one line.
  package var title: String
  /// What leaves the machine, one sentence each.
  package var sentences: [String]
  /// The domains that the answer is for.
  package var domains: CookieDomains

  package init(title: String, sentences: [String], domains: CookieDomains) {
    self.title = title
    self.sentences = sentences
    self.domains = domains
  }

  /// - Parameters:
  ///   - site: the page of the third party.
  ///   - name: how the server calls it; it is shown as a claim of the server.
  ///   - screenshot: what is photographed, if anything.
  package init(
    site: WebAddress, name: String?, domains: CookieDomains, screenshot: ScreenshotKind?, servers: PassageServers
  ) {
    let receivers = Self.hosts([servers.automation, servers.socket] + (servers.session.map { [$0] } ?? []))
    title = "Let a server use \(site.host) for you?"
    self.domains = domains
    sentences = [
      "\(receivers) will control a page of \(site.host) in this window and run its own scripts there, as you.",
      "It receives the address and the HTML of each page of \(Self.list(domains.entries)) that the window shows.",
      "It receives the cookies of \(Self.list(domains.entries)). Whoever has them may be able to act as you there.",
      "It receives what these pages keep in this browser (their local and session storage), and what its scripts read.",
    ]
    switch screenshot {
    case .modal: sentences.append("It receives pictures of this whole window, again and again. A sign shows it.")
    case .automation: sentences.append("It receives pictures of the page, again and again. A sign shows it.")
    case nil: break
    }
    if let name, !name.isEmpty { sentences.append("The server calls this site “\(name.shortened(to: 80))”.") }
    sentences.append("Pages of other domains are shown, but nothing of them is sent.")
    sentences.append("“tessera-passage log” shows what was sent.")
  }

  private static func hosts(_ addresses: [WebAddress]) -> String {
    var hosts: [String] = []
    for address in addresses where !hosts.contains(address.host) { hosts.append(address.host) }
    return list(hosts)
  }

  private static func list(_ names: [String]) -> String {
    names.count < 2
      ? names.first ?? "no domain" : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }
}
