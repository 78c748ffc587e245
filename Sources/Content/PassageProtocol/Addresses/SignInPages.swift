/// The pages by which third parties let users sign in (Passage.md, rule 16). They are recognised, never contacted on
/// our own: a page that opens one in a window of its own shows it in the visible view.
package struct SignInPages: Sendable, Equatable {
  /// Host names; a leading dot includes all hosts below.
  package var hosts: Set<String>
  /// The beginnings of parts of a path.
  package var paths: [String]

  package static let standard = SignInPages(
    hosts: [
      "accounts.google.com", "accounts.youtube.com", "myaccount.google.com", "oauth2.googleapis.com",
      "www.facebook.com", "m.facebook.com", "web.facebook.com", "facebook.com", "appleid.apple.com",
      "signin.apple.com", "login.microsoftonline.com", "login.microsoft.com", "login.live.com",
      "account.microsoft.com", "github.com", "api.twitter.com", "twitter.com", "x.com", "www.linkedin.com",
      "linkedin.com", "oauth.io", ".auth0.com",
    ],
    paths: ["/oauth", "/auth", "/signin", "/login", "/authorize", "/connect"])

  package init(hosts: Set<String>, paths: [String]) {
    self.hosts = hosts
    self.paths = paths
  }

  package func contains(_ address: WebAddress) -> Bool {
    let host = address.host
    if hosts.contains(host) || hosts.contains("." + host) { return true }
    // The host's parents: `a.b.c` is below `.b.c`.
    var rest = host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[dot...]
      if hosts.contains(String(rest)) { return true }
      rest = rest.dropFirst()
    }
    let path = address.path.lowercased()
    return paths.contains { path.contains($0) }
  }
}
