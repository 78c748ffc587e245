import Testing

@testable import PassageProtocol

@Suite struct AddressTests {
  // MARK: - Success addresses

  static let globs: [(pattern: String, address: String, matches: Bool)] = [
    // Equal.
    ("https://shop.example/done", "https://shop.example/done", true),
    ("https://SHOP.example/done", "https://shop.example/done", true),
    ("https://shop.example:443/done", "https://shop.example/done", true),
    ("https://shop.example/done", "http://shop.example/done", false),
    ("https://shop.example/done", "https://shop.example:8443/done", false),
    // The beginning of an address of the same origin.
    ("https://shop.example/done", "https://shop.example/done?order=1", true),
    ("https://shop.example/done?order=1", "https://shop.example/done?order=12", true),
    ("https://shop.example/done", "https://shop.example/don", false),
    ("https://shop.example/done", "https://shop.example/other", false),
    ("https://shop.example/", "https://shop.example/other", false),
    ("https://shop.example/", "https://shop.example/?q=1", true),
    ("https://shop.example/", "https://shop.example", true),
    // The host, if there is no path.
    ("https://shop.example", "https://shop.example/any/page?x#y", true),
    ("https://shop.example", "https://shop.example.evil.example/", false),
    ("https://shop.example", "https://evil.example/https://shop.example", false),
    ("https://shop.example", "http://shop.example/", false),
    ("https://shop.example", "https://www.shop.example/", false),
    ("shop.example", "https://shop.example/any", true),
    ("shop.example", "https://notshop.example/", false),
    ("https://other.example/path", "https://other.example/elsewhere", false),
    // Globs.
    ("https://shop.example/done*", "https://shop.example/done/1?x=2", true),
    ("https://shop.example/done*", "https://shop.example/done", true),
    ("https://shop.example/done*", "https://shop.example/", false),
    ("https://shop.example/*/done", "https://shop.example/a/b/done", true),
    ("https://shop.example/*/done", "https://shop.example/a/done/2", false),
    ("https://shop.example/*/done*", "https://shop.example/a/done/2", true),
    ("https://*.shop.example/done*", "https://www.shop.example/done", true),
    ("https://*.shop.example/done*", "https://evil.example/.shop.example/done", false),
    ("https://*.shop.example/*", "https://shop.example/", false),
    ("https://shop.example*", "https://shop.example/any", true),
    ("*://shop.example/done", "http://shop.example/done", true),
    ("*shop.example/done*", "https://www.shop.example/done", true),
    ("*shop.example/done*", "https://evil.example/?shop.example/done", false),
    ("*", "https://a.example/", true),
    ("https://shop.example/a*a*a*b", "https://shop.example/aaaaaaaa", false),
    ("https://shop.example/a*a*a*b", "https://shop.example/aaaab", true),
    ("https://shop.example/**", "https://shop.example/x", true),
    ("https://shop.example/?a=*", "https://shop.example/?a=5", true),
  ]

  @Test("Success addresses", arguments: globs.indices) func glob(index: Int) throws {
    let row = Self.globs[index]
    let glob = try #require(URLGlob(row.pattern))
    let address = try #require(WebAddress(row.address))
    #expect(glob.matches(address) == row.matches, "\(row.pattern) and \(row.address)")
  }

  @Test("Patterns that are empty, too long or have too many stars are none") func refusedGlobs() {
    #expect(URLGlob("") == nil && URLGlob(String(repeating: "a", count: 1_025)) == nil)
    #expect(URLGlob(String(repeating: "*", count: 17)) == nil)
  }

  // MARK: - Web addresses

  @Test(
    "Addresses of http and https in their parts",
    arguments: [
      ("HTTPS://Shop.Example:443", "https://shop.example/"), ("http://a.example:80/x?y#z", "http://a.example/x?y#z"),
      ("https://a.example?x", "https://a.example/?x"), ("https://[::1]:8/a", "https://[::1]:8/a"),
    ])
  func webAddress(text: String, canonical: String) { #expect(WebAddress(text)?.text == canonical) }

  @Test(
    "What is no web address",
    arguments: [
      "", "about:blank", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "https://", "https:///x",
      "https://u:p@a.example/", "https://a.example\\@b.example/", "https://a b.example/", "https://a.example/ x",
      "https://a.example/\n", "https://a.example/\u{202E}", "https://a.example:99999/",
      "https://a.example/" + String(repeating: "x", count: 8_192),
    ])
  func noWebAddress(text: String) { #expect(WebAddress(text) == nil) }

  // MARK: - Domains

  static let domains: [(entries: [String], host: String, contains: Bool)] = [
    (["example.org"], "example.org", true), (["example.org"], "EXAMPLE.org", true),
    (["example.org"], "www.example.org", false), (["example.org"], "notexample.org", false),
    (["example.org"], "example.org.evil.example", false), ([".example.org"], "example.org", true),
    ([".example.org"], "www.example.org", true), ([".example.org"], "a.b.example.org", true),
    ([".example.org"], "notexample.org", false), ([".example.org"], "org", false), (["org"], "org", false),
    ([".org"], "example.org", false), (["."], "example.org", false), ([""], "", false), (["*"], "a.example", false),
    (["*.example.org"], "a.example.org", false), ([".co.uk"], "bank.co.uk", false),
    ([".bank.co.uk"], "a.bank.co.uk", true),
    (["127.0.0.1"], "127.0.0.1", true), ([".127.0.0.1"], "127.0.0.1", false), ([".0.0.1"], "127.0.0.1", true),
    (["localhost"], "localhost", true), ([".localhost"], "a.localhost", false), (["[::1]"], "[::1]", true),
    (["a..example"], "a..example", false), (["-a.example"], "-a.example", false),
    (["a b.example"], "a b.example", false),
    (["..example.org"], "a.example.org", false), (["Shop.Example"], "shop.example", true),
  ]

  @Test("Domains are compared by labels", arguments: domains.indices) func domain(index: Int) {
    let row = Self.domains[index]
    #expect(CookieDomains(row.entries).contains(host: row.host) == row.contains, "\(row.entries) and \(row.host)")
  }

  @Test(
    "Cookies by their domain",
    arguments: [
      (["shop.example"], "shop.example", true), (["shop.example"], ".shop.example", true),
      (["shop.example"], "www.shop.example", false), (["shop.example"], ".www.shop.example", false),
      ([".shop.example"], ".www.shop.example", true), ([".shop.example"], "shop.example", true),
      ([".shop.example"], ".otherwiseshop.example", false), ([".shop.example"], "..shop.example", false),
      (["shop.example"], "", false), (["shop.example"], ".", false),
    ])
  func cookie(entries: [String], domain: String, contains: Bool) {
    #expect(CookieDomains(entries).contains(cookieDomain: domain) == contains)
  }

  @Test("What one list has of another") func covering() {
    let wide = CookieDomains([".shop.example"])
    let narrow = CookieDomains(["www.shop.example"])
    #expect(wide.contains(narrow) && !narrow.contains(wide))
    #expect(wide.contains(CookieDomains([".www.shop.example", "shop.example"])))
    #expect(!CookieDomains(["shop.example"]).contains(wide))
    #expect(wide.contains(CookieDomains([])))
    #expect(!wide.contains(CookieDomains(["shop.example", "other.example"])))
  }

  @Test("A page without configured domains has its host, those below, and its last two labels") func ofHost() {
    #expect(
      CookieDomains(ofHost: "www.shop.example").entries == ["www.shop.example", ".www.shop.example", "shop.example"])
    #expect(CookieDomains(ofHost: "shop.example").entries == ["shop.example", ".shop.example"])
    #expect(CookieDomains(ofHost: "127.0.0.1").entries == ["127.0.0.1"])
    #expect(CookieDomains(ofHost: "localhost").entries == ["localhost"])
    #expect(CookieDomains(ofHost: "bank.co.uk").entries == ["bank.co.uk", ".bank.co.uk"])
  }

  @Test("Addresses and paths have a longest one") func lengths() {
    func address(_ count: Int) -> String { "https://a.example/" + String(repeating: "x", count: count - 18) }
    #expect(WebAddress(address(8_192)) != nil && WebAddress(address(8_193)) == nil)
    func path(_ count: Int) -> String { "/" + String(repeating: "a", count: count - 1) }
    #expect(APIPath(path(2_048)) != nil && APIPath(path(2_049)) == nil)
  }

  @Test("Refused entries are counted, and lists end") func limits() {
    #expect(CookieDomains(["org", "a.example", "x y"]).refusedCount == 2)
    let many = CookieDomains((0..<1_000).map { "h\($0).example" })
    #expect(many.entries.count == CookieDomains.mostEntries && many.refusedCount == 900)
  }

  // MARK: - Paths for the server

  @Test(
    "Paths that a page may name", arguments: ["/", "/automation/note", "/a/b/?x=1&y=..", "/a%20b", "/a/b.c", "/~a;v=1"])
  func path(text: String) { #expect(APIPath(text)?.text == text) }

  @Test(
    "Paths that a page may not name",
    arguments: [
      "", "a", "//evil.example/x", "/\\evil.example", "\\/evil.example", "https://evil.example/", "/a//b", "/..",
      "/../a",
      "/a/../b", "/a/..", "/./a", "/.", "/%2e%2e/a", "/%2E%2E", "/a/%2e./b", "/.%2e", "/%2f%2fevil.example", "/%2Fa",
      "/a%2f%2fb", "/a%5cb", "/a%5C..%5Cb", "/%252e%252e/a", "/%25252e%25252e/a", "/%2525252e", "/a\nb", "/a%0d%0ab",
      "/a%00", "/a b", "/a\tb", "/ä", "/a%", "/a%zz", "/a%ff", "/a#b", "/..;/a", "/..;x=1/a", "/%2e%2e%3b/a",
      "/a/..;%CC%81/b",
      "/?x=%0d%0aHost:a", "@evil.example/",
    ])
  func noPath(text: String) { #expect(APIPath(text) == nil, "\(text)") }

  // MARK: - Popups and other programs

  static let popups: [(address: String, open: Int, decision: PopupDecision)] = [
    ("", 0, .popup), ("about:blank", 7, .popup), ("about:blank", 8, .refused),
    ("https://accounts.google.com/o", 0, .visibleView), ("https://tenant.auth0.com/x", 0, .visibleView),
    ("https://shop.example/oauth/start", 0, .visibleView), ("https://shop.example/Login", 0, .visibleView),
    ("https://shop.example/help", 0, .sameView), ("https://accounts.google.com.evil.example/", 0, .sameView),
    ("https://notgithub.com/", 0, .sameView), ("googlechromes://x", 0, .externally), ("FB://profile", 0, .externally),
    ("https://x.app.link/open", 0, .externally), ("https://myapp.link/", 0, .sameView),
    ("http://x.app.link/open", 0, .sameView), ("file:///etc/passwd", 0, .refused),
    ("javascript:alert(1)", 0, .refused), ("ssh://host", 0, .refused), ("data:text/html,x", 0, .refused),
  ]

  @Test("Windows that pages ask for", arguments: popups.indices) func popup(index: Int) {
    let row = Self.popups[index]
    #expect(PopupDecision.decision(for: row.address, openPopups: row.open) == row.decision, "\(row.address)")
  }

  @Test("Addresses for other programs") func external() {
    let addresses = ExternalAddresses.standard
    for address in ["https://a.example/", "http://a.example", "mailto:a@b.example", "twitter://x"] {
      #expect(addresses.mayOpen(address), "\(address)")
    }
    for address in ["", "file:///a", "javascript:1", "steam://x", "mailto:a b", "https://u@a.example/", ":", "x"] {
      #expect(!addresses.mayOpen(address), "\(address)")
    }
  }

  @Test("Two addresses at once, then one in each second") func addressLimit() {
    var limit = AddressLimit()
    func permits(_ milliseconds: Int64) -> Bool { limit.permits(at: UnixTime(milliseconds: milliseconds)) }
    #expect(permits(10_000) && permits(10_000) && !permits(10_999) && permits(11_000) && !permits(11_000))
    #expect(permits(60_000) && permits(60_000) && !permits(60_000))
    // The clock was set back.
    #expect(permits(1_000) == false && permits(2_000))
    #expect(permits(.max) && permits(.min) == false)
  }
}
