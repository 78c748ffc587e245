import Foundation
import TesseraHTTPClient
import TestSupport
import Testing

@testable import FCKOnboardingClient

/// The three policies with a clock of the test (NativeScreens.md, “When the server is away”).
@Suite struct CachePolicyTests {
  /// A lab whose cache has the flow “old”.
  private static func lab(tag: String? = #""v1""#) async throws -> ClientLab {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow("old"), tag: tag)
    let flow = try await lab.client().fetchFlow()
    #expect(ClientLab.text(flow) == "old")
    return lab
  }

  // MARK: - cacheFirst

  @Test("cacheFirst uses the cache at once, and refreshes it") func cacheFirst() async throws {
    let lab = try await Self.lab()
    lab.server.publish(ClientLab.flow("new"), tag: #""v2""#)
    lab.time.advance(60)
    let client = try await lab.client(.cacheFirst)
    #expect(ClientLab.text(try await client.fetchFlow()) == "old")
    await ClientLab.until("The cache was not refreshed.") { Self.cached(lab).contains("new") }
    #expect(lab.server.asked.last { $0.method == "GET" }?.entityTag == #""v1""#)
    #expect(ClientLab.text(try await client.fetchFlow()) == "new")
  }

  @Test("cacheFirst does not wait for a server that is silent") func cacheFirstDoesNotWait() async throws {
    let lab = try await Self.lab()
    lab.server.onPlacement { _ in
      try await untilCancelled()
      return HTTPResponse(status: 500)
    }
    #expect(ClientLab.text(try await lab.client(.cacheFirst).fetchFlow()) == "old")
    await ClientLab.until("The server was not asked.") { lab.server.placementCount == 2 }
  }

  @Test(
    "cacheFirst asks first when the flow is as old as a day, or from the future",
    arguments: [24 * 3_600, 48 * 3_600, -60])
  func cacheFirstWithAnOldFlow(age: Int) async throws {
    let lab = try await Self.lab()
    lab.server.publish(ClientLab.flow("new"), tag: #""v2""#)
    lab.time.advance(TimeInterval(age))
    let client = try await lab.client(.cacheFirst)
    #expect(ClientLab.text(try await client.fetchFlow()) == "new")
  }

  @Test("cacheFirst uses an old flow when the server fails") func cacheFirstOffline() async throws {
    let lab = try await Self.lab()
    lab.time.advance(30 * 24 * 3_600)
    lab.server.setOffline(true)
    #expect(ClientLab.text(try await lab.client(.cacheFirst).fetchFlow()) == "old")
  }

  @Test("cacheFirst asks when there is no cache") func cacheFirstWithoutACache() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    #expect(ClientLab.text(try await lab.client(.cacheFirst).fetchFlow()) == "Hello")
    #expect(lab.server.placementCount == 1)
  }

  @Test("a refreshed flow is young again, also by 304") func notModified() async throws {
    let lab = try await Self.lab()
    lab.time.advance(25 * 3_600)
    let client = try await lab.client(.cacheFirst)
    #expect(ClientLab.text(try await client.fetchFlow()) == "old")
    #expect(lab.server.placementCount == 2)
    lab.server.setOffline(true)
    lab.time.advance(23 * 3_600)
    #expect(ClientLab.text(try await client.fetchFlow()) == "old")
    #expect(Self.cached(lab).contains("2030-01-03T04:04:05Z"))
  }

  // MARK: - networkFirst

  @Test("networkFirst takes the new flow") func networkFirst() async throws {
    let lab = try await Self.lab()
    lab.server.publish(ClientLab.flow("new"), tag: #""v2""#)
    #expect(ClientLab.text(try await lab.client().fetchFlow()) == "new")
    #expect(lab.server.asked.compactMap(\.entityTag) == [#""v1""#])
  }

  private static let failures: [ScriptedServer.Answer] = [
    { _ in throw HTTPError.unreachable(host: "a.example") }, { _ in throw HTTPError.timeLimit(.seconds(10)) },
    { _ in HTTPResponse(status: 500) }, { _ in HTTPResponse(status: 429) }, { _ in HTTPResponse(status: 401) },
    { _ in HTTPResponse(status: 200, body: Array("<html>".utf8)) }, { _ in HTTPResponse(status: 200) },
    { _ in HTTPResponse(status: 200, body: Array(#"{"flowId": "f", "config": {}}"#.utf8)) },
  ]

  @Test("networkFirst uses the cache when the server fails", arguments: failures.indices)
  func networkFirstOffline(failure: Int) async throws {
    let lab = try await Self.lab()
    lab.server.onPlacement(Self.failures[failure])
    lab.time.advance(100 * 24 * 3_600)
    #expect(ClientLab.text(try await lab.client().fetchFlow()) == "old")
  }

  @Test("a placement without a flow is no failure, and empties the cache", arguments: [200, 404])
  func aFlowThatIsGone(status: Int) async throws {
    let lab = try await Self.lab()
    let client = try await lab.client()
    lab.server.onPlacement { _ in HTTPResponse(status: status, body: Array(#"{"message": "none"}"#.utf8)) }
    #expect(await ClientLab.error { try await client.fetchFlow() } == .noActiveFlow)
    lab.server.setOffline(true)
    let offline = FCKAPIClient.APIError.networkError(.unreachable(host: "onboarding.example.org"))
    #expect(await ClientLab.error { try await client.fetchFlow() } == offline)
  }

  @Test("an answer without a flow is remembered, too") func aFinishedFlowIsRemembered() async throws {
    let lab = try await Self.lab()
    lab.server.publish(String(decoding: ClientLab.fixture("fck-flow-completed"), as: UTF8.self))
    let client = try await lab.client()
    #expect(try await client.fetchFlow() == nil)
    lab.server.setOffline(true)
    #expect(try await client.fetchFlow() == nil)
  }

  // MARK: - networkOnly

  @Test("networkOnly neither reads nor writes the cache") func networkOnly() async throws {
    let lab = try await Self.lab()
    let before = Self.cached(lab)
    lab.server.publish(ClientLab.flow("new"), tag: #""v2""#)
    let client = try await lab.client(.networkOnly)
    #expect(ClientLab.text(try await client.fetchFlow()) == "new")
    #expect(lab.server.asked.allSatisfy { $0.entityTag == nil })
    lab.server.setOffline(true)
    let offline = FCKAPIClient.APIError.networkError(.unreachable(host: "onboarding.example.org"))
    #expect(await ClientLab.error { try await client.fetchFlow() } == offline)
    lab.server.setOffline(false)
    lab.server.onPlacement { _ in HTTPResponse(status: 404) }
    #expect(await ClientLab.error { try await client.fetchFlow() } == .noActiveFlow)
    #expect(Self.cached(lab) == before)
  }

  // MARK: - Whose cache

  @Test("each placement has its own flow") func placements() async throws {
    let lab = try await Self.lab()
    lab.server.publish(ClientLab.flow("other"), tag: #""o1""#)
    let client = try await lab.client()
    #expect(ClientLab.text(try await client.fetchFlow(for: "other/place")) == "other")
    lab.server.setOffline(true)
    #expect(ClientLab.text(try await client.fetchFlow()) == "old")
    #expect(ClientLab.text(try await client.fetchFlow(for: "other/place")) == "other")
  }

  @Test("another user, key, server or environment has another cache") func scopes() async throws {
    let changes: [(inout FCKConfiguration) -> Void] = [
      { $0.userId = "user-2" }, { $0.userId = nil }, { $0.apiKey = "other" }, { $0.environment = .production },
      { $0.baseAddress = "https://other.example" },
    ]
    for change in changes {
      let lab = try await Self.lab()
      lab.server.setOffline(true)
      var configuration = lab.configuration()
      change(&configuration)
      let client = OnboardingClient(services: lab.services)
      try await client.configure(configuration)
      #expect(await ClientLab.error { try await client.fetchFlow() } != nil)
      #expect(lab.server.asked.allSatisfy { $0.entityTag == nil })
    }
  }

  /// The files of the cache, as text.
  private static func cached(_ lab: ClientLab) -> String {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: lab.cacheFolder)) ?? []
    return names.sorted().map { (try? String(contentsOfFile: "\(lab.cacheFolder)/\($0)", encoding: .utf8)) ?? "" }
      .joined(separator: "\n")
  }
}
