internal import TesseraJSON

/// Makes the requests of one session (2.3).
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
