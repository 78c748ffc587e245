import Foundation
import TesseraHTTPClient
import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingClient

extension RealPrograms {
  /// The client and a real server over TLS.
  @Suite struct ClientServerTests {
    @Test("a flow is loaded, kept and validated over TLS") func loading() async throws {
      let lab = try await ServerLab()
      try lab.publish("placement-main.json", ClientLab.fixture("fck-flow-all-elements"))
      let client = try await lab.client()
      let flow = try #require(try await client.fetchFlow(userProperties: ["plan": "a&b"]))
      #expect(flow.flowId == "flow-1" && !flow.screens.isEmpty)
      await client.finishSending(atMost: .seconds(600))
      #expect(try await client.fetchFlow() == flow)
      await client.finishSending(atMost: .seconds(600))
      let requests = await lab.server.requests(4)
      #expect(requests.map { $0["method"].text } == ["GET", "POST", "GET", "POST"])
      let first = try #require(requests.first)
      #expect(first["path"].text.hasPrefix("/api/sdk/placement/main?userId=user-1&deviceId="))
      #expect(first["path"].text.hasSuffix("&userProperties=%7B%22plan%22%3A%22a%26b%22%7D"))
      let headers = first["headers"]
      for (name, value) in [
        "x-api-key": ClientLab.key, "x-environment": "sandbox", "x-sdk-version": "1.0.0", "x-platform": "linux",
        "x-app-version": "1.0", "x-app-build": "7", "x-os-version": SystemInfo.current.osVersion,
        "x-device-model": SystemInfo.current.deviceModel,
      ] { #expect(headers[name].text == value, "\(name)") }
      #expect(!headers["if-none-match"].isPresent)
      #expect(requests[2]["headers"]["if-none-match"].text.hasPrefix("\""), "the second answer was 304")
      for request in [requests[1], requests[3]] {
        #expect(request["path"].text == "/api/sdk/events")
        #expect(request["headers"]["content-type"].text == "application/json")
        #expect(try JSONValue(text: request["body"].text)["eventType"] == "flow_fetched")
      }
    }

    private static let behaviors: [(String, FCKAPIClient.APIError)] = [
      ("401", .serverError(401, "Invalid API key")), ("404", .noActiveFlow), ("429", .usageLimitExceeded),
      ("500", .serverError(500, "")), ("page", .decodingError("The text is not JSON (at byte 0).")),
      ("silent", .networkError(.timeLimit(.seconds(2)))), ("cut", .networkError(.interrupted(host: "localhost"))),
    ]

    @Test("what a server does has its error", arguments: behaviors)
    func errors(behavior: String, error: FCKAPIClient.APIError) async throws {
      let lab = try await ServerLab()
      try lab.publish("behavior", Array(behavior.utf8))
      // A busy machine may take long for the others.
      let client = try await lab.client(timeout: behavior == "silent" ? .seconds(2) : .seconds(60))
      #expect(await ClientLab.error { try await client.fetchFlow() } == error)
    }

    /// The server is down, then fails, then answers.
    @Test("a completion reaches a server that comes back") func completion() async throws {
      let lab = try await ServerLab()
      try lab.publish("behavior", Array("503".utf8))
      let client = try await lab.client()
      await client.saveResponse(key: "name", value: "Ada")
      await client.markCompleted()
      await client.finishSending(atMost: .seconds(600))
      #expect(await lab.server.requests(1).count == 1)
      await lab.lab.waits(1)
      try lab.remove("behavior")
      lab.lab.pauses.end()
      let requests = await lab.server.requests(3)
      await client.finishSending(atMost: .seconds(600))
      #expect(requests.map { $0["path"].text } == ["/api/sdk/completion", "/api/sdk/completion", "/api/sdk/events"])
      #expect(requests[0]["body"].text == requests[1]["body"].text)
      #expect(requests[0]["headers"]["idempotency-key"].text == requests[1]["headers"]["idempotency-key"].text)
      #expect(try JSONValue(text: requests[1]["body"].text)["responses"] == ["name": "Ada"])
      #expect(await lab.server.requests(3).count == 3)
      #expect(try lab.lab.outbox.names().isEmpty)
    }

    @Test("a report whose answer is lost is sent again as the same one") func lostAnswer() async throws {
      let lab = try await ServerLab()
      try lab.publish("behavior", Array("cut".utf8))
      let client = try await lab.client()
      try await client.trackEvent(name: "x")
      await client.finishSending(atMost: .seconds(600))
      await lab.lab.waits(1)
      try lab.remove("behavior")
      lab.lab.pauses.end()
      await ClientLab.until("The event was not sent again.") { (try? lab.lab.outbox.names().isEmpty) == true }
      let ids = await lab.server.requests(2).map { $0["headers"]["idempotency-key"].text }
      #expect(ids.count >= 2 && Set(ids).count == 1 && ids[0] != "")
    }

    @Test("without a server the flow of the cache is shown") func offline() async throws {
      let lab = try await ServerLab()
      try lab.publish("placement-main.json", Array(ClientLab.flow("cached").utf8))
      let client = try await lab.client()
      _ = try await client.fetchFlow()
      await client.finishSending(atMost: .seconds(600))
      for behavior in ["500", "page", "cut"] {
        try lab.publish("behavior", Array(behavior.utf8))
        #expect(ClientLab.text(try await client.fetchFlow()) == "cached", "\(behavior)")
      }
    }
  }
}

/// A server over TLS, and a client that trusts it.
private final class ServerLab: Sendable {
  let lab: ClientLab
  let server: TLSServer
  private let published: TemporaryFolder

  init() async throws {
    lab = try ClientLab()
    published = try TemporaryFolder()
    server = try await TLSServer(published: published.url.path)
  }

  func publish(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: published.url.appendingPathComponent(name))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(at: published.url.appendingPathComponent(name))
  }

  func client(timeout: Duration = .seconds(20)) async throws -> OnboardingClient {
    var services = lab.services
    services.transport = HTTPSClient(environment: ["SSL_CERT_FILE": server.certificateFile])
    services.system = .current
    var configuration = lab.configuration(base: server.address(""))
    configuration.requestTimeout = timeout
    let client = OnboardingClient(services: services)
    try await client.configure(configuration)
    await client.finishSending(atMost: .seconds(600))
    return client
  }
}
