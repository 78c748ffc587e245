import Foundation
import TesseraHTTPClient
import TesseraThreads

/// A server in this process: answers by the path, and keeps what it was asked.
final class StubServer: HTTPTransport {
  struct Asked: Sendable, Equatable {
    let address: String
    let entityTag: String?
    /// The publish id that the request carries.
    let id: String?
  }

  private struct State {
    var answers: [String: @Sendable (HTTPRequest) async throws -> HTTPResponse] = [:]
    var asked: [Asked] = []
  }
  private let state = Locked(State())

  static let manifestPath = "https://rerune.io/api/sdk/translations/manifest"

  static func textsPath(_ locale: String) -> String { "https://rerune.io/api/sdk/translations/ios/\(locale)" }

  var asked: [Asked] { state.withLock { $0.asked } }

  func forget() { state.withLock { $0.asked = [] } }

  func answer(_ address: String, _ body: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
    state.withLock { $0.answers[address] = body }
  }

  /// Answers as a server with entity tags does.
  func publish(_ address: String, _ body: String, etag: String?, type: String = "application/json") {
    answer(address) { request in
      if let etag, request.entityTag == etag { return HTTPResponse(status: 304, entityTag: etag) }
      return HTTPResponse(status: 200, body: Array(body.utf8), entityTag: etag, mediaType: type)
    }
  }

  func publishManifest(_ body: String, etag: String? = "\"m1\"") { publish(Self.manifestPath, body, etag: etag) }

  func publishTexts(_ locale: String, _ body: String, etag: String?, type: String = "application/json") {
    publish(Self.textsPath(locale), body, etag: etag, type: type)
  }

  func response(to request: HTTPRequest) async throws -> HTTPResponse {
    let id = request.headers.first { $0.name == "X-OTA-Publish-Id" }?.value
    let asked = Asked(address: request.address.text, entityTag: request.entityTag, id: id)
    let answer = state.withLock { state in
      state.asked.append(asked)
      return state.answers[asked.address]
    }
    guard let answer else { return HTTPResponse(status: 404) }
    return try await answer(request)
  }
}
