import Foundation
import TesseraCore
import TesseraHTTPClient
import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingClient

/// The functions of `OnboardingClient`.
@Suite struct ClientTests {
  @Test("before configure, fetching and tracking are errors, and the rest does nothing") func notConfigured()
    async throws
  {
    let lab = try ClientLab()
    let client = OnboardingClient(services: lab.services)
    await #expect(throws: FCKError.notConfigured) { try await client.fetchFlow() }
    await #expect(throws: FCKError.notConfigured) { try await client.trackEvent(name: "x") }
    await client.markCompleted()
    await client.saveResponse(key: "a", value: "b")
    await client.reset()
    await client.finishSending(atMost: .seconds(600))
    #expect(await client.getUserResponses() == [:])
    #expect(await !client.isCompleted())
    #expect(FCKError.notConfigured.failure.remedy != nil)
    #expect(lab.server.asked.isEmpty)
    #expect(try ClientLab.modes(lab.folder.url.path).isEmpty)
  }

  @Test("an invalid configuration changes nothing") func invalidConfiguration() async throws {
    let lab = try ClientLab()
    let client = try await lab.client()
    var configuration = lab.configuration()
    configuration.baseAddress = "http://onboarding.example.org"
    await #expect(throws: Failure.self) { try await client.configure(configuration) }
    lab.server.publish(ClientLab.flow())
    #expect(ClientLab.text(try await client.fetchFlow()) == "Hello")
  }

  @Test("a flow is asked for with the user, the device and the declared properties") func fetching() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    let client = try await lab.client()
    _ = try await client.fetchFlow(for: "intro", userProperties: ["plan": "pro", "age": 5])
    await client.setUserId("user-2")
    _ = try await client.fetchFlow(for: "intro")
    await client.setUserId(nil)
    _ = try await client.fetchFlow(for: "intro")
    await client.finishSending(atMost: .seconds(600))
    let device = try #require(try RecordFile(folder: lab.stateFolder).read()?.deviceId)
    #expect(
      lab.server.asked.filter { $0.method == "GET" }.map(\.path) == [
        "placement/intro?userId=user-1&deviceId=\(device)&userProperties=%7B%22plan%22%3A%22pro%22%7D",
        "placement/intro?userId=user-2&deviceId=\(device)", "placement/intro?deviceId=\(device)",
      ])
    #expect(lab.server.accepted.map { $0.body?["userId"]?.stringValue } == ["user-1", "user-2", nil])
    #expect(lab.server.accepted.allSatisfy { $0.body?["sessionId"] == .string(device) })
  }

  @Test("an event is as the sample says") func events() async throws {
    let lab = try ClientLab()
    let client = try await lab.client()
    try await client.trackEvent(name: "screen_viewed", flowId: "flow-1", screenIndex: 0, metadata: ["a": 1])
    await client.finishSending(atMost: .seconds(600))
    var sample = try JSONValue(text: String(decoding: ClientLab.fixture("fck-event-request"), as: UTF8.self))
    let device = try #require(try RecordFile(folder: lab.stateFolder).read()?.deviceId)
    if case .object(var members) = sample {
      members["sessionId"] = .string(device)
      sample = .object(members)
    }
    #expect(lab.server.accepted.map(\.body) == [sample])
    #expect(device != "0f8fad5b-d9cb-469f-a165-70867728950e")
  }

  @Test("a run has each event once") func exactlyOnce() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    let client = try await lab.client()
    _ = try await client.fetchFlow()
    await client.markCompleted(screenIndex: 4)
    await client.markCompleted()
    await client.markCompleted(placement: "main")
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["flow_fetched", "completion", "flow_completed"])
    let completed = lab.server.accepted.last?.body
    #expect(completed?["flowId"] == "flow-1" && completed?["screenIndex"] == 4)
  }

  @Test("a flow that was finished here is not asked for again, until a reset") func finished() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    let client = try await lab.client()
    _ = try await client.fetchFlow(for: "intro")
    await client.markCompleted()
    #expect(await client.isCompleted(placement: "intro"))
    #expect(await !client.isCompleted())
    #expect(try await client.fetchFlow(for: "intro") == nil)
    #expect(try await lab.client().fetchFlow(for: "intro") == nil, "also at the next start")
    #expect(lab.server.placementCount == 1)
    #expect(ClientLab.text(try await client.fetchFlow()) == "Hello", "another placement is another one")
    await client.reset()
    #expect(ClientLab.text(try await client.fetchFlow(for: "intro")) == "Hello")
  }

  @Test("a user without a flow has no event", arguments: ["fck-flow-completed", "fck-flow-none"])
  func noFlow(sample: String) async throws {
    let lab = try ClientLab()
    lab.server.publish(String(decoding: ClientLab.fixture(sample), as: UTF8.self))
    let client = try await lab.client()
    do {
      #expect(try await client.fetchFlow() == nil)
      #expect(sample == "fck-flow-completed")
    } catch {
      #expect(error as? FCKAPIClient.APIError == .noActiveFlow)
      #expect(sample == "fck-flow-none")
    }
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports.isEmpty)
  }

  @Test("answers are kept for the next start, in private files") func answers() async throws {
    let lab = try ClientLab()
    lab.server.setOffline(true)
    let client = try await lab.client()
    await client.saveResponse(key: "name", value: "Ada")
    var answers = FlowAnswers()
    answers.append("kids", "3")
    answers.append("name", "Grace")
    await client.saveResponses(answers)
    #expect(await client.getUserResponses() == ["name": "Grace", "kids": "3"])
    #expect(try await lab.client().getUserResponses() == ["name": "Grace", "kids": "3"])
    await client.saveResponse(key: "long", value: String(repeating: "x", count: OnboardingRecord.maximumText))
    #expect(await client.getUserResponses().count == 2)
    await client.markCompleted()
    let modes = try ClientLab.modes(lab.folder.url.path)
    #expect(modes.count == 3 && modes.values.allSatisfy { $0 == 0o600 })
  }

  @Test("a reset removes every answer from the disk") func reset() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow("Hello Ada-1815"))
    let client = try await lab.client()
    _ = try await client.fetchFlow(for: "other")
    await client.finishSending(atMost: .seconds(600))
    lab.server.setOffline(true)
    let device = try RecordFile(folder: lab.stateFolder).read()?.deviceId
    await client.saveResponse(key: "name", value: "Ada-1815")
    await client.markCompleted()
    await client.finishSending(atMost: .seconds(600))
    func files(with text: String) throws -> Int {
      try ClientLab.modes(lab.folder.url.path).keys
        .filter { try String(contentsOfFile: lab.folder.file($0), encoding: .utf8).contains(text) }.count
    }
    #expect(try files(with: "Ada-1815") == 3, "the record, the completion, the cached flow")
    await client.reset()
    #expect(try files(with: "Ada-1815") == 0)
    #expect(await client.getUserResponses() == [:])
    #expect(await !client.isCompleted(placement: "other"))
    #expect(try lab.outbox.names().isEmpty)
    #expect(try RecordFile(folder: lab.stateFolder).read()?.deviceId == device)
    lab.server.setOffline(false)
    lab.pauses.end()
    try await client.trackEvent(name: "after")
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["flow_fetched", "after"])
  }

  @Test("another configuration replaces the first") func reconfiguration() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    let client = try await lab.client()
    _ = try await client.fetchFlow(for: "intro")
    await client.finishSending(atMost: .seconds(600))
    var configuration = lab.configuration()
    configuration.appName = "other"
    configuration.userId = "user-9"
    try await client.configure(configuration)
    await client.markCompleted()
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["flow_fetched", "completion", "flow_completed"])
    let completion = try #require(lab.server.accepted.first { $0.path == "completion" }?.body)
    #expect(completion["userId"] == "user-9" && completion["flowId"] == nil)
    #expect(await client.isCompleted(placement: "main"))
    #expect(try RecordFile(folder: lab.stateFolder).read()?.completed == [])
  }

  @Test("a damaged state is a new device, and no crash") func damagedState() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    let earlier = try await lab.client()
    _ = try await earlier.fetchFlow()
    await earlier.finishSending(atMost: .seconds(600))
    // A report that stays in its file: nothing changes the files while they are damaged.
    lab.server.setOffline(true)
    try await earlier.trackEvent(name: "unsent")
    await earlier.finishSending(atMost: .seconds(600))
    let names = try ClientLab.modes(lab.folder.url.path).keys
    #expect(names.count == 3, "the record, the cached flow, the report")
    for name in names {
      try Data("{\"format\":".utf8).write(to: URL(fileURLWithPath: lab.folder.file(name)))
    }
    lab.server.setOffline(false)
    let client = try await lab.client()
    #expect(ClientLab.text(try await client.fetchFlow()) == "Hello")
    #expect(await client.getUserResponses() == [:])
  }
}
