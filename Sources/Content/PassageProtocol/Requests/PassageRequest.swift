package import TesseraHTTPClient

/// A request to one of the configured servers (2.3). It follows no redirect, so that no other server receives the token.
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
