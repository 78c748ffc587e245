package import TesseraHTTPClient
internal import TesseraJSON

/// Makes the requests of one session (Passage.md, rule 2).
package struct RequestBuilder: Sendable {
  package let servers: PassageServers
  package let token: String
  package var userAgent: String?

  package init(_ servers: PassageServers, token: String, userAgent: String? = nil) {
    self.servers = servers
    self.token = token
    self.userAgent = userAgent
  }

  package func configuration() -> PassageRequest {
    var headers = ["x-intent-token": token]
    headers["x-webview-user-agent"] = userAgent
    return PassageRequest(.get, servers.automation.appending("/automation/configuration"), headers: headers)
  }

  package func commandResult(_ result: CommandResult) -> PassageRequest {
    post(servers.automation, "/automation/command-result", .object(result.json))
  }

  /// The same result for the server that records sessions; nil if there is none.
  package func record(_ result: CommandResult, at time: UnixTime) -> PassageRequest? {
    servers.session.map {
      post($0, "/command/response/record", .object(result.recorded(at: time)))
    }
  }

  package func browserState(url: String, screenshot: String?) -> PassageRequest {
    var body: JSONObject = ["url": .string(url)]
    body["screenshot"] = screenshot.map(JSONValue.string)
    return post(servers.automation, "/automation/browser-state", .object(body))
  }

  /// What the UI page asked for with `sendToBackend` or `sendToSession`; nil if there is no such server.
  package func page(_ request: PageRequest) -> PassageRequest? {
    guard let server = request.server == .api ? servers.api : servers.session else { return nil }
    var result = post(server, request.path.text, request.data)
    for (name, value) in request.headers { result.headers[name] = value }
    return result
  }

  /// Statistics of use; nil if the program names no address for them.
  func analytics(_ events: [JSONValue]) -> PassageRequest? {
    servers.analytics.map { post($0, "", ["events": .array(events)]) }
  }

  private func post(_ server: WebAddress, _ path: String, _ body: JSONValue) -> PassageRequest {
    PassageRequest(
      .post, server.appending(path), headers: ["content-type": "application/json", "x-intent-token": token],
      body: Array(body.text.utf8))
  }
}

/// A request to one of the configured servers (Passage.md, rule 2). It follows no redirect, so that no other server
/// receives the token.
package struct PassageRequest: Sendable, Equatable {
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  package var method: Method
  package var address: String
  /// By their names in lower case.
  package var headers: [String: String]
  /// JSON; nil for a GET.
  package var body: [UInt8]?
  package var timeLimit = Duration.seconds(30)

  /// In bytes. Answers are ignored, except for the configuration.
  package static let responseLimit = AutomationConfiguration.sizeLimit

  package init(_ method: Method, _ address: String, headers: [String: String], body: [UInt8]? = nil) {
    self.method = method
    self.address = address
    self.headers = headers
    self.body = body
  }

  /// The request for `HTTPTransport`, which speaks https only.
  ///
  /// - Throws: `HTTPError.notHTTPS` for a server on this machine without https, or `HTTPError.invalidAddress`.
  package func httpRequest() throws(HTTPError) -> HTTPRequest {
    var request = HTTPRequest(try HTTPSAddress(address), sizeLimit: Self.responseLimit, timeLimit: timeLimit)
    var headers = headers
    let type = headers.removeValue(forKey: "content-type") ?? "application/json"
    if method == .post { request.method = .post(body ?? [], type: type) }
    request.headers = headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    request.redirects = .none
    return request
  }
}
