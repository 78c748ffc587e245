import TesseraHTTPClient
import TesseraJSON
import TesseraThreads

/// A server in this process: answers as the test says, and keeps what it was asked.
final class ScriptedServer: HTTPTransport {
  struct Asked: Sendable, Equatable {
    /// `GET`, or `POST`.
    let method: String
    /// The address behind `/api/sdk/`.
    let path: String
    let headers: [String: String]
    let entityTag: String?
    /// The body of a POST.
    let body: JSONValue?
    let mediaType: String?
  }

  typealias Answer = @Sendable (HTTPRequest) async throws -> HTTPResponse

  private struct State {
    var placement: Answer = { _ in HTTPResponse(status: 404) }
    var completion: Answer = { _ in HTTPResponse(status: 200) }
    var events: Answer = { _ in HTTPResponse(status: 200) }
    var asked: [Asked] = []
    var accepted: [Asked] = []
    var isOffline = false
  }
  private let state = Locked(State())

  /// All requests, those included that failed.
  var asked: [Asked] { state.withLock { $0.asked } }
  /// The POST requests with the status 200.
  var accepted: [Asked] { state.withLock { $0.accepted } }
  /// The types of the accepted events, and `completion`.
  var reports: [String] {
    accepted.map { $0.path == "completion" ? "completion" : $0.body?["eventType"]?.stringValue ?? "" }
  }
  var placementCount: Int { asked.filter { $0.path.hasPrefix("placement/") }.count }

  func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }
  func onPlacement(_ answer: @escaping Answer) { state.withLock { $0.placement = answer } }
  func onCompletion(_ answer: @escaping Answer) { state.withLock { $0.completion = answer } }
  func onEvents(_ answer: @escaping Answer) { state.withLock { $0.events = answer } }

  /// Answers as a server with entity tags does.
  func publish(_ body: String, tag: String? = nil) {
    onPlacement { request in
      if let tag, request.entityTag == tag { return HTTPResponse(status: 304, entityTag: tag) }
      return HTTPResponse(status: 200, body: Array(body.utf8), entityTag: tag, mediaType: "application/json")
    }
  }

  func response(to request: HTTPRequest) async throws -> HTTPResponse {
    let asked = Self.asked(request)
    let (answer, isOffline) = state.withLock { state in
      state.asked.append(asked)
      let answer =
        switch asked.path {
        case "completion": state.completion
        case "events": state.events
        default: state.placement
        }
      return (answer, state.isOffline)
    }
    guard !isOffline else { throw HTTPError.unreachable(host: request.address.host) }
    let response = try await answer(request)
    if asked.method == "POST", response.status == 200 { state.withLock { $0.accepted.append(asked) } }
    return response
  }

  private static func asked(_ request: HTTPRequest) -> Asked {
    let path = request.address.text.split(separator: "/api/sdk/", maxSplits: 1).last.map(String.init) ?? ""
    let headers = Dictionary(request.headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    switch request.method {
    case .get:
      return Asked(
        method: "GET", path: path, headers: headers, entityTag: request.entityTag, body: nil, mediaType: nil)
    case .post(let body, let type):
      return Asked(
        method: "POST", path: path, headers: headers, entityTag: request.entityTag,
        body: try? JSONValue(text: String(decoding: body, as: UTF8.self)), mediaType: type)
    }
  }
}
