import TesseraCore
import TesseraHTTPClient
import TesseraJSON
import Testing

@testable import PassageProtocol

@Suite struct ConfigurationTests {
  // MARK: - The server's

  @Test("The full sample") func full() throws {
    let configuration = try #require(
      AutomationConfiguration(status: 200, body: Samples.bytes("passage-configuration")))
    #expect(configuration.integrationURL == "https://shop.example/login")
    #expect(configuration.integrationName == "Example Shop" && configuration.integrationSlug == "example-shop")
    #expect(configuration.cookieDomains == ["shop.example", ".shop.example"])
    #expect(configuration.globalJavascript == "window.__probe = (window.__probe || 0) + 1;")
    #expect(configuration.automationUserAgent == "ExampleAgent/1.0")
    #expect(configuration.imageOptimization.quality == 0.7)
    #expect(configuration.imageOptimization.maxWidth == 1_280 && configuration.imageOptimization.maxHeight == 720)
    #expect(!configuration.clearAllCookies)
  }

  @Test("The minimal sample has the defaults") func minimal() throws {
    let configuration = try #require(
      AutomationConfiguration(status: 201, body: Samples.bytes("passage-configuration-minimal")))
    #expect(configuration.integrationURL == "http://127.0.0.1:8080/")
    #expect(configuration.cookieDomains.isEmpty && configuration.globalJavascript.isEmpty)
    #expect(configuration.automationUserAgent.isEmpty && !configuration.clearAllCookies)
    #expect(configuration.imageOptimization == ImageOptimization())
    #expect(configuration.imageOptimization.quality == 0.6)
    #expect(configuration.imageOptimization.maxWidth == 960 && configuration.imageOptimization.maxHeight == 540)
  }

  @Test("Wrong types are absent") func wrongTypes() throws {
    let configuration = try #require(
      AutomationConfiguration(status: 200, body: Samples.bytes("passage-configuration-wrong-types")))
    #expect(configuration == AutomationConfiguration([:]))
    #expect(configuration.integrationURL == nil)
  }

  @Test("Only 2xx and JSON objects count", arguments: [199, 300, 404, 500])
  func status(status: Int) throws {
    #expect(AutomationConfiguration(status: status, body: try Samples.bytes("passage-configuration")) == nil)
    #expect(AutomationConfiguration(status: 200, body: Array("[]".utf8)) == nil)
    #expect(AutomationConfiguration(status: 200, body: [0xFF]) == nil)
    #expect(AutomationConfiguration(status: 200, body: []) == nil)
  }

  @Test("Sizes and quality out of range have their default") func ranges() {
    let odd = ImageOptimization(["quality": 2, "maxWidth": 0, "maxHeight": 1_000_000])
    #expect(odd == ImageOptimization())
    #expect(ImageOptimization(["quality": 1]).quality == 1)
  }

  @Test("A user agent that cannot be a header is none") func userAgent() {
    #expect(AutomationConfiguration(["automationUserAgent": "a\r\nx: y"]).automationUserAgent.isEmpty)
    #expect(AutomationConfiguration.userAgent(String(repeating: "a", count: 513)) == nil)
  }

  // MARK: - The program's

  static let config = PassageConfig(uiUrl: "https://ui.example", apiUrl: "https://api.example/v1")

  @Test("The servers have their defaults") func servers() throws {
    let servers = try PassageServers(Self.config)
    #expect(servers.socket.text == "https://api.example/v1" && servers.automation.text == "https://api.example/v1")
    #expect(servers.session == nil && servers.analytics == nil)
    var config = Self.config
    config.automationUrl = "https://socket.example"
    config.socketUrl = "https://socket.example"
    #expect(try PassageServers(config).automation.text == "https://socket.example/")
  }

  @Test(
    "Addresses need https, except on this machine",
    arguments: [
      ("https://a.example", true), ("http://127.0.0.1:8080", true), ("http://localhost:1", true),
      ("http://[::1]:80", true), ("http://a.example", false), ("http://127.0.0.1.a.example", false), ("", false),
      ("a.example", false), ("ftp://a.example", false), ("https://u@a.example", false),
      ("https://a.example/?q", false), ("https://a.example/#f", false), ("https://a .example", false),
    ])
  func addresses(text: String, isAccepted: Bool) {
    for member in [\PassageConfig.uiUrl, \.apiUrl] {
      var config = Self.config
      config[keyPath: member] = text
      if isAccepted {
        #expect(throws: Never.self) { try PassageServers(config) }
      } else {
        let failure = #expect(throws: Failure.self) { try PassageServers(config) }
        #expect(failure?.kind == .usage && failure?.remedy != nil)
      }
    }
  }

  @Test(
    "Pages of this machine are shown only if the servers are on it",
    arguments: [
      ("https://shop.example", true, true), ("https://shop.example:8443", true, true),
      ("https://ui.example", true, true),
      ("http://shop.example", false, false), ("http://127.0.0.1:8484", false, true), ("http://127.9.9.9", false, true),
      ("https://127.0.0.1", false, true), ("http://localhost:8484", false, true), ("http://a.localhost", false, true),
      ("https://localhost.", false, true), ("http://[::1]:8484", false, true), ("https://0.0.0.0", false, true),
      ("https://[::]", false, true), ("https://[::ffff:7f00:1]", false, true),
      ("https://127.0.0.1.example", true, true),
    ])
  func shown(page: String, isShown: Bool, isShownByLocal: Bool) throws {
    let origin = try #require(WebOrigin(url: page))
    #expect(try PassageServers(Self.config).mayShow(origin) == isShown)
    let local = PassageConfig(uiUrl: "http://localhost:1", apiUrl: "http://127.0.0.1:2")
    #expect(try PassageServers(local).mayShow(origin) == isShownByLocal)
    // One that is elsewhere drives the pages.
    for member in [\PassageConfig.socketUrl, \.automationUrl] {
      var mixed = local
      mixed[keyPath: member] = "https://api.example"
      #expect(try PassageServers(mixed).mayShow(origin) == isShown)
      #expect(try PassageServers(mixed).mayShow(WebOrigin(.http, "localhost", port: 1)))
    }
  }

  @Test("The start page and the page for the end") func startPage() throws {
    let servers = try PassageServers(Self.config)
    let start = StartPage.address(
      servers, token: "h.p.s", agentName: "desk & co", suffix: "abc123XYZ",
      at: UnixTime(milliseconds: 1_700_000_000_999))
    #expect(
      start
        == "https://ui.example/connect?intentToken=h.p.s&sdkSession=sdk-session-1700000000-abc123XYZ&agentName=desk%20%26%20co"
    )
    #expect(
      StartPage.redirect(servers, token: "t", agentName: "a", isSuccess: true, error: nil)
        == "https://ui.example/connect?intentToken=t&success=true&appAgentName=a")
    #expect(
      StartPage.redirect(servers, token: "t", agentName: "a", isSuccess: false, error: "no & no")
        == "https://ui.example/connect?intentToken=t&success=false&appAgentName=a&error=no%20%26%20no")
  }

  // MARK: - Requests

  private func builder(_ change: (inout PassageConfig) -> Void = { _ in }) throws -> RequestBuilder {
    var config = Self.config
    change(&config)
    return RequestBuilder(try PassageServers(config), token: "h.p.s", userAgent: "Agent/1")
  }

  @Test("Every request has its path and headers, and follows no redirect") func requests() throws {
    let builder = try builder { $0.sessionUrl = "https://session.example" }
    let configuration = builder.configuration()
    #expect(configuration.method == .get && configuration.body == nil)
    #expect(configuration.address == "https://api.example/v1/automation/configuration")
    #expect(configuration.headers == ["x-intent-token": "h.p.s", "x-webview-user-agent": "Agent/1"])

    let result = CommandResult.success("c-5", "Account", nil)
    let post = builder.commandResult(result)
    #expect(post.address == "https://api.example/v1/automation/command-result")
    #expect(post.headers == ["x-intent-token": "h.p.s", "content-type": "application/json"])
    #expect(post.timeLimit == .seconds(30))

    let time = try #require(UnixTime(textWithMilliseconds: "2030-01-02T03:04:05.678Z"))
    let record = try #require(builder.record(result, at: time))
    #expect(record.address == "https://session.example/command/response/record")
    #expect(
      try JSONValue(text: String(decoding: record.body ?? [], as: UTF8.self))
        == Samples.json("passage-result-record-wrapper"))

    let state = builder.browserState(url: "https://shop.example/", screenshot: nil)
    #expect(state.address == "https://api.example/v1/automation/browser-state")
    #expect(String(decoding: state.body ?? [], as: UTF8.self) == #"{"url":"https://shop.example/"}"#)
    let picture = builder.browserState(url: "u", screenshot: "data:image/jpeg;base64,AA")
    #expect(
      String(decoding: picture.body ?? [], as: UTF8.self)
        == #"{"url":"u","screenshot":"data:image/jpeg;base64,AA"}"#)

    for request in [configuration, post, record, state] {
      let http = try request.httpRequest()
      #expect(http.redirects == .none)
      #expect(http.headers.contains { $0.name == "x-intent-token" && $0.value == "h.p.s" })
    }
    #expect(try post.httpRequest().method == .post(post.body ?? [], type: "application/json"))
  }

  @Test("Without a server for sessions nothing is recorded") func noSessionServer() throws {
    let builder = try builder()
    #expect(builder.record(.error("a", "b"), at: UnixTime(milliseconds: 0)) == nil)
    #expect(builder.analytics([]) == nil)
  }

  @Test("HTTPTransport sends no request without https, not even on this machine") func withoutHTTPS() throws {
    let builder = try builder { $0.apiUrl = "http://127.0.0.1:1" }
    #expect(throws: HTTPError.notHTTPS) { try builder.configuration().httpRequest() }
  }
}
