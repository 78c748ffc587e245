import TesseraCore
import TesseraJSON
import Testing

@testable import PassageProtocol

/// What the user is asked, and what the log says.
@Suite struct ConsentTests {
  private static func request(_ screenshot: ScreenshotKind?, name: String? = nil) throws -> ConsentRequest {
    let config = PassageConfig(
      uiUrl: "https://ui.example", apiUrl: "https://api.example", sessionUrl: "https://session.example")
    let site = try #require(WebAddress("https://www.shop.example/login"))
    return ConsentRequest(
      site: site, name: name,
      domains: .consented(site: site, configuration: CookieDomains([".shop.example"])), screenshot: screenshot,
      servers: try PassageServers(config))
  }

  @Test("The words name the site, the servers, the domains and what leaves the machine") func words() throws {
    let request = try Self.request(nil)
    let words = request.sentences.joined(separator: " ")
    #expect(request.title.contains("www.shop.example"))
    for word in [
      "api.example and session.example will operate www.shop.example", "shop.example with all names that end in .shop",
      "cookies", "whole content", "addresses", "passwords too", "run programs", "without your password",
      "nothing of them is sent", "tessera-passage log",
    ] { #expect(words.contains(word), "\(word)") }
    for word in ["HTML", "script", "storage", "domain", "session storage"] {
      #expect(!words.replacing(#/[a-z.]+\.example/#, with: "").contains(word), "\(word)")
    }
    #expect(request.sentences.filter { $0.hasPrefix("These servers receive") }.count == 2)
    #expect(request.sentences.filter { $0.contains("www.shop.example") }.count == 1, "what is below is not said twice")
    #expect(!words.contains("pictures") && !words.contains("ui.example"))
    #expect(request.consent.domains.entries == ["www.shop.example", ".shop.example"])
  }

  @Test("Pictures are said, and the name is the server's claim") func pictures() throws {
    #expect(try Self.request(.modal).sentences.contains { $0.contains("whole window") })
    #expect(try Self.request(.automation).sentences.contains { $0.contains("pictures of these pages") })
    let named = try Self.request(nil, name: "Shop\u{202E}\n" + String(repeating: "x", count: 1_000))
    let sentence = try #require(named.sentences.first { $0.contains("Shop") })
    #expect(!sentence.unicodeScalars.contains("\u{202E}") && !sentence.contains("\n") && sentence.count < 170)
  }

  @Test("Without configured domains the host's own are asked for") func fallback() throws {
    let site = try #require(WebAddress("http://127.0.0.1:8080/"))
    #expect(CookieDomains.consented(site: site, configuration: CookieDomains([])).entries == ["127.0.0.1"])
  }

  @Test(
    "Consent is for scheme, host and port",
    arguments: [
      ("https://www.shop.example/login", "https://www.shop.example/", true),
      ("https://www.shop.example/login", "https://www.shop.example:443/", true),
      ("https://www.shop.example/login", "https://www.shop.example:8443/", false),
      ("https://www.shop.example/login", "http://www.shop.example/", false),
      ("https://www.shop.example/login", "https://id.shop.example/", true),
      ("https://www.shop.example/login", "https://id.shop.example:8443/", false),
      ("https://www.shop.example/login", "http://id.shop.example/", false),
      ("https://www.shop.example/login", "https://shop.example.evil.example/", false),
      ("https://www.shop.example:8443/", "https://www.shop.example:8443/x", true),
      ("https://www.shop.example:8443/", "https://www.shop.example/", false),
      ("https://www.shop.example:8443/", "https://id.shop.example:8443/", true),
      ("https://www.shop.example:8443/", "https://id.shop.example/", true),
      ("https://www.shop.example:8443/", "https://id.shop.example:9443/", false),
      ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/next", true),
      ("http://127.0.0.1:8080/", "http://127.0.0.1:8484/", false),
      ("http://127.0.0.1:8080/", "http://127.0.0.1/", false),
      ("http://127.0.0.1:8080/", "https://127.0.0.1/", false),
      ("http://127.0.0.1:8080/", "https://127.0.0.1:8080/", false),
      ("http://127.0.0.1:8080/", "http://localhost:8080/", false),
    ]) func origins(site: String, page: String, isMeant: Bool) throws
  {
    let site = try #require(WebAddress(site))
    let listed = CookieDomains(site.host.hasSuffix(".example") ? [".shop.example"] : [])
    let consent = Consent(site.origin, .consented(site: site, configuration: listed))
    #expect(consent.contains(try #require(WebAddress(page)).origin) == isMeant)
  }

  @Test("The domains of one question and the port of another are no answer to any") func twoQuestions() throws {
    let shop = WebOrigin(.https, "shop.example")
    let bank = try #require(WebAddress("https://bank.example:8443/")).origin
    var consent = Consent(shop, CookieDomains(["shop.example", ".shop.example"]))
    consent.add(Consent(bank, CookieDomains(["bank.example", ".bank.example"])))
    func contains(_ text: String) throws -> Bool { consent.contains(try #require(WebAddress(text)).origin) }
    for text in [
      "https://shop.example/", "https://id.shop.example/", "https://bank.example:8443/",
      "https://id.bank.example:8443/",
      "https://id.bank.example/",
    ] { #expect(try contains(text), "\(text)") }
    for text in [
      "https://id.shop.example:8443/", "https://shop.example:8443/", "https://bank.example/", "http://shop.example/",
    ] { #expect(try !contains(text), "\(text)") }
    #expect(consent.domains.entries.count == 4)
    // The same question twice is one; another question about a covered host takes nothing away.
    let before = consent
    consent.add(Consent(bank, CookieDomains(["bank.example", ".bank.example"])))
    #expect(consent == before)
    consent.add(
      Consent(try #require(WebAddress("https://id.shop.example:9443/")).origin, CookieDomains(["id.shop.example"])))
    #expect(try contains("https://id.shop.example/") && contains("https://id.shop.example:9443/"))
  }

  @Test(
    "The question says the port, unless it is that of https",
    arguments: [
      ("https://shop.example:443/", "shop.example", "shop.example with all names that end in .shop.example"),
      (
        "https://shop.example:8443/", "shop.example:8443",
        "shop.example:8443 and shop.example with all names that end in .shop.example, also at port 8443"
      ),
      ("http://127.0.0.1:8484/", "127.0.0.1:8484", "127.0.0.1:8484"),
      ("http://127.0.0.1/", "127.0.0.1:80", "127.0.0.1:80"), ("http://[::1]:8484/", "[::1]:8484", "[::1]:8484"),
    ]) func port(site: String, name: String, websites: String) throws
  {
    let site = try #require(WebAddress(site))
    let request = ConsentRequest(
      site: site, name: nil, domains: .consented(site: site, configuration: CookieDomains([])), screenshot: nil,
      servers: try PassageServers(Showing.config))
    #expect(request.title == "Let a server use \(name) for you?")
    #expect(request.sentences[0].contains("operate \(name) in this window"))
    #expect(request.sentences[1] == "This is about the following websites: \(websites).")
  }

  // MARK: - Page data

  @Test("Only what the user agreed to leaves the machine") func limited() {
    var data = PageData()
    data.cookies = ["shop.example", ".shop.example", "notshop.example", "evil.example", "www.shop.example"].map {
      PassageCookie(name: "n", value: "v", domain: $0)
    }
    (data.url, data.html, data.screenshot) = ("https://shop.example/", "<p>", "data:image/jpeg;base64,AA")
    data.localStorage = [StorageItem(name: "a", value: "b")]
    let consent = Consent(WebOrigin(.https, "shop.example"), CookieDomains(["shop.example"]))
    let here = data.limited(to: CookieDomains([".shop.example"]), consent: consent)
    #expect(here.cookies?.map(\.domain) == ["shop.example", ".shop.example"])
    #expect(here.html == "<p>" && here.localStorage?.count == 1 && here.sessionStorage == [])
    #expect(here.screenshot != nil)
    data.url = "https://evil.example/"
    let elsewhere = data.limited(to: CookieDomains(["shop.example"]), consent: consent)
    #expect(
      elsewhere.url == nil && elsewhere.html == nil && elsewhere.localStorage == [] && elsewhere.screenshot == nil)
    #expect(elsewhere.cookies?.count == 2)
    data.url = nil
    #expect(data.limited(to: consent.domains, consent: consent).html == nil)
    data.url = "https://shop.example:8443/"
    #expect(data.limited(to: consent.domains, consent: consent).html == nil)
  }

  @Test("Huge pages and stores are cut, and pictures are pictures") func sizes() {
    var data = PageData()
    data.url = "https://shop.example/"
    data.html = String(repeating: "x", count: (8 << 20) + 1)
    data.localStorage = (0..<6_000).map { StorageItem(name: "\($0)", value: "v") }
    data.sessionStorage = (0..<3).map { _ in StorageItem(name: "n", value: String(repeating: "v", count: 4 << 20)) }
    data.screenshot = "javascript:alert(1)"
    let consent = Consent(WebOrigin(.https, "shop.example"), CookieDomains(["shop.example"]))
    let limited = data.limited(to: consent.domains, consent: consent)
    #expect(limited.html == nil && limited.localStorage?.count == 5_000 && limited.sessionStorage?.count == 2)
    #expect(limited.screenshot == nil)
  }

  // MARK: - The log

  @Test("A line of the log has counts and sizes, and no values") func sentEntry() throws {
    var data = PageData()
    var cookie = PassageCookie(name: "secretname", value: "secretvalue", domain: ".Shop.example")
    cookie.path = "/secret"
    data.cookies = [cookie]
    data.localStorage = [StorageItem(name: "secretkey", value: "secretitem")]
    (data.html, data.url) = ("<secret>", "https://www.shop.example/secret?secret")
    data.screenshot = "data:image/jpeg;base64,secret"
    var entry = SentEntry(.commandResult, to: "api.example", at: UnixTime(milliseconds: 1_893_553_445_678))
    entry.size = 512
    entry.add(data)
    let line = entry.line
    #expect(!line.lowercased().contains("secret") && !line.contains("\n"))
    #expect(
      line
        == #"{"time":"2030-01-02T03:04:05.678Z","kind":"commandResult","server":"api.example","size":512,"#
        + #""domains":[".shop.example","www.shop.example"],"cookies":1,"localStorage":1,"html":8,"screenshot":29}"#)
    #expect(SentEntry(line: line) == entry)
  }

  @Test("Every kind is read as it was written", arguments: SentEntry.Kind.allCases) func kinds(kind: SentEntry.Kind) {
    let entry = SentEntry(kind, to: "a.example", at: UnixTime(milliseconds: 0))
    #expect(SentEntry(line: entry.line) == entry)
  }

  @Test(
    "Damaged lines are no entries",
    arguments: [
      "", "{}", "x", #"{"time":"2030-01-02T03:04:05.678Z","kind":"other","server":"a","size":1}"#,
      #"{"time":"2030-01-02","kind":"browserState","server":"a","size":1}"#,
      #"{"time":"2030-01-02T03:04:05.678Z","kind":"browserState","server":"a","size":1.5}"#,
      #"{"time":"2030-01-02T03:04:05.678Z","kind":"browserState","server":"a","size":1,"cookies":"2"}"#,
    ])
  func damaged(line: String) { #expect(SentEntry(line: line) == nil) }

  // MARK: - Times

  @Test(
    "Times are written as ISO 8601",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (1_893_553_445_678, "2030-01-02T03:04:05.678Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func time(milliseconds: Int64, text: String) {
    let time = UnixTime(milliseconds: milliseconds)
    #expect(time.textWithMilliseconds == text)
    #expect(UnixTime(textWithMilliseconds: text) == time)
    #expect(time.text == text.prefix(19) + "Z")
  }

  @Test("Times out of range are the nearest ones") func extremeTimes() {
    #expect(UnixTime(milliseconds: .max).textWithMilliseconds == "9999-12-31T23:59:59.999Z")
    #expect(UnixTime(milliseconds: .min).text == "1970-01-01T00:00:00Z")
    #expect(UnixTime(milliseconds: -1).seconds == -1)
    for text in [
      "2030-02-30T00:00:00.000Z", "2030-01-01T24:00:00.000Z", "2030-01-01 00:00:00.000Z", "", "-----",
      "11111111111-1-1T1:1:1.1Z", "9999-1-1T1:1:11111111.1Z",
    ] {
      #expect(UnixTime(textWithMilliseconds: text) == nil, "\(text)")
    }
  }
}
