import Foundation
import TesseraHTTPClient
import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingClient

/// Completions and events on their way to the server (NativeScreens.md, “When the server is away”).
@Suite struct OutboxDeliveryTests {
  @Test("what was finished offline is reported after the reconnect, once and in order") func reconnect() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    let client = try await lab.client()
    _ = try await client.fetchFlow()
    await client.finishSending(atMost: .seconds(600))
    lab.server.setOffline(true)
    await client.saveResponse(key: "name", value: "Ada")
    await client.markCompleted()
    #expect(await client.isCompleted())
    await client.finishSending(atMost: .seconds(600))
    await lab.waits(1)
    #expect(lab.server.reports == ["flow_fetched"])
    #expect(try lab.outbox.names().map(\.kind) == [.completion, .event])
    lab.server.setOffline(false)
    lab.pauses.end()
    await ClientLab.until("Nothing was sent.") { lab.server.reports.count == 3 }
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["flow_fetched", "completion", "flow_completed"])
    let body = try #require(lab.server.accepted.first { $0.path == "completion" }?.body)
    #expect(body["responses"] == ["name": "Ada"] && body["flowId"] == "flow-1" && body["userId"] == "user-1")
    #expect(try lab.outbox.names().isEmpty)
    #expect(lab.pauses.delays == [.seconds(5)], "an empty outbox waits for nothing")
  }

  @Test("the outbox survives a restart") func restart() async throws {
    let lab = try ClientLab()
    lab.server.setOffline(true)
    do {
      let client = try await lab.client()
      await client.saveResponse(key: "name", value: "Ada")
      await client.markCompleted(placement: "main")
      try await client.trackEvent(name: "later", screenIndex: 2, metadata: ["a": 1])
      await client.finishSending(atMost: .seconds(600))
    }
    #expect(try lab.outbox.names().count == 3)
    lab.server.setOffline(false)
    let client = try await lab.client()
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["completion", "flow_completed", "later"])
    #expect(lab.server.accepted.last?.body?["screenIndex"] == 2)
    #expect(await client.isCompleted())
    let again = try await lab.client()
    await again.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports.count == 3)
    #expect(try lab.outbox.names().isEmpty)
  }

  @Test("each attempt to send a report has its identifier") func identifiers() async throws {
    let lab = try ClientLab()
    lab.server.setOffline(true)
    let client = try await lab.client()
    try await client.trackEvent(name: "a")
    await client.finishSending(atMost: .seconds(600))
    lab.server.setOffline(false)
    try await client.trackEvent(name: "b")
    await client.finishSending(atMost: .seconds(600))
    let sent = lab.server.asked.filter { $0.path == "events" }
    let ids = Dictionary(grouping: sent) { $0.body?["eventType"]?.stringValue ?? "" }
      .mapValues { Set($0.map { $0.headers["Idempotency-Key"] }) }
    #expect(sent.count == 3 && ids["a"]?.count == 1 && ids["b"]?.count == 1 && ids["a"] != ids["b"])
    #expect(lab.server.reports == ["a", "b"])
  }

  @Test("a report that the server refuses is dropped, the next one is sent", arguments: [400, 404, 413, 422])
  func refusal(status: Int) async throws {
    let lab = try ClientLab()
    lab.server.onCompletion { _ in HTTPResponse(status: status) }
    let client = try await lab.client()
    await client.markCompleted()
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.asked.map(\.path) == ["completion", "events"])
    #expect(lab.server.reports == ["flow_completed"])
    #expect(try lab.outbox.names().isEmpty && lab.pauses.delays.isEmpty)
  }

  @Test("a server that fails is asked again later, and keeps the order", arguments: [401, 408, 429, 500, 503])
  func failure(status: Int) async throws {
    let lab = try ClientLab()
    lab.server.onCompletion { _ in HTTPResponse(status: status) }
    let client = try await lab.client()
    await client.markCompleted()
    await client.finishSending(atMost: .seconds(600))
    await lab.waits(1)
    // A server that asked to wait is not asked for each new event.
    try await client.trackEvent(name: "later")
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.asked.map(\.path) == ["completion"])
    lab.server.onCompletion { _ in HTTPResponse(status: 200) }
    lab.pauses.end()
    await ClientLab.until("Not all was sent.") { lab.server.reports.count == 3 }
    #expect(lab.server.reports == ["completion", "flow_completed", "later"])
  }

  @Test("the waits double up to 15 minutes, and begin anew after a success") func delays() async throws {
    let lab = try ClientLab()
    lab.server.setOffline(true)
    let client = try await lab.client()
    try await client.trackEvent(name: "a")
    for count in 1...10 {
      await lab.waits(count)
      lab.pauses.end()
    }
    await lab.waits(11)
    #expect(lab.pauses.delays == [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900].map { .seconds($0) })
    lab.server.setOffline(false)
    lab.pauses.end()
    await ClientLab.until("The event was not sent.") { lab.server.reports == ["a"] }
    await client.finishSending(atMost: .seconds(600))
    lab.server.setOffline(true)
    try await client.trackEvent(name: "b")
    await lab.waits(12)
    #expect(lab.pauses.delays.last == .seconds(5))
  }

  @Test("events of several tasks are sent once each") func concurrency() async throws {
    let lab = try ClientLab()
    let client = try await lab.client()
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        group.addTask { try await client.trackEvent(name: "e\(number)") }
      }
      try await group.waitForAll()
    }
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports.count == 20 && Set(lab.server.reports).count == 20)
    #expect(try lab.outbox.names().isEmpty)
  }

  @Test("two processes send each report once") func twoProcesses() async throws {
    let lab = try ClientLab()
    lab.server.setOffline(true)
    let first = try await lab.client()
    for number in 0..<10 { try await first.trackEvent(name: "e\(number)") }
    await first.finishSending(atMost: .seconds(600))
    lab.server.setOffline(false)
    let clients = [try await lab.client(isSettled: false), try await lab.client(isSettled: false), first]
    lab.pauses.end()
    for client in clients { try await client.trackEvent(name: "more") }
    await ClientLab.until("Not all was sent: \(lab.server.reports)") {
      lab.pauses.end()
      return lab.server.reports.count >= 13
    }
    for client in clients { await client.finishSending(atMost: .seconds(600)) }
    #expect(lab.server.reports.count == 13)
    #expect(lab.server.reports.filter { $0 != "more" } == (0..<10).map { "e\($0)" })
    #expect(try lab.outbox.names().isEmpty)
  }

  @Test("damaged and very old reports are dropped") func droppedReports() async throws {
    let lab = try ClientLab()
    lab.server.setOffline(true)
    var client = try await lab.client()
    for name in ["damaged", "old"] { try await client.trackEvent(name: name) }
    await client.finishSending(atMost: .seconds(600))
    let first = try #require(try lab.outbox.names().first)
    try Data("{".utf8).write(to: URL(fileURLWithPath: "\(lab.outbox.folder)/\(first.text)"))
    lab.time.advance(OutboxDelivery.longestAge)
    try await client.trackEvent(name: "new")
    await client.finishSending(atMost: .seconds(600))
    lab.server.setOffline(false)
    client = try await lab.client()
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["new"])
    #expect(try lab.outbox.names().isEmpty)
  }

  @Test("a folder in place of an entry does not stop the others") func foreignEntry() async throws {
    let lab = try ClientLab()
    let path = "\(lab.outbox.folder)/\(Outbox.Name(number: 1, kind: .event, id: OutboxEntry.newId()).text)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    chmod(lab.outbox.folder, 0o700)
    let client = try await lab.client()
    try await client.trackEvent(name: "a")
    try await client.trackEvent(name: "b")
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["a", "b"])
  }

  /// The new report has the number of the old one.
  @Test("a report that could not be removed keeps no later one from being sent") func replacedEntry() async throws {
    let lab = try ClientLab()
    let client = try await lab.client()
    lab.server.onEvents { request in
      // In place of the entry there is a folder, which cannot be removed as a file is.
      do {
        for name in try lab.outbox.names() {
          let path = "\(lab.outbox.folder)/\(name.text)"
          try FileManager.default.removeItem(atPath: path)
          try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
      } catch { Issue.record(error) }
      return HTTPResponse(status: 200)
    }
    try await client.trackEvent(name: "old")
    await client.finishSending(atMost: .seconds(600))
    let old = try #require(try lab.outbox.names().first)
    try FileManager.default.removeItem(atPath: "\(lab.outbox.folder)/\(old.text)")
    lab.server.onEvents { _ in HTTPResponse(status: 200) }
    try await client.trackEvent(name: "new")
    await client.finishSending(atMost: .seconds(600))
    #expect(old.number == 1 && lab.server.reports == ["old", "new"])
    #expect(try lab.outbox.names().isEmpty)
  }

  /// The new report has the number of the old one.
  @Test("a reset while a report is on its way loses no later one") func resetWhileSending() async throws {
    let lab = try ClientLab()
    let (opened, open) = AsyncStream.makeStream(of: Never.self)
    lab.server.onEvents { _ in
      for await _ in opened {}
      return HTTPResponse(status: 200)
    }
    let client = try await lab.client()
    try await client.trackEvent(name: "old")
    await ClientLab.until("The event was not sent.") { lab.server.asked.count == 1 }
    await client.reset()
    try await client.trackEvent(name: "new")
    #expect(try lab.outbox.names().map(\.number) == [1])
    open.finish()
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["old", "new"])
    #expect(try lab.outbox.names().isEmpty)
  }

  @Test("what was meant for the one environment is not sent to the other") func environments() async throws {
    let lab = try ClientLab()
    lab.server.setOffline(true)
    let sandbox = try await lab.client()
    try await sandbox.trackEvent(name: "sandbox")
    await sandbox.finishSending(atMost: .seconds(600))
    lab.server.setOffline(false)
    var configuration = lab.configuration()
    configuration.environment = .production
    let client = OnboardingClient(services: lab.services)
    try await client.configure(configuration)
    try await client.trackEvent(name: "production")
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["production"])
    #expect(try lab.outbox.names().count == 1)
  }

  @Test("without a usable folder, reports are sent in this run") func noFolder() async throws {
    let lab = try ClientLab()
    try Data().write(to: URL(fileURLWithPath: lab.folder.file("state")))
    lab.server.setOffline(true)
    let client = try await lab.client()
    await client.saveResponse(key: "name", value: "Ada")
    await client.markCompleted()
    #expect(await client.isCompleted())
    #expect(await client.getUserResponses() == ["name": "Ada"])
    await client.finishSending(atMost: .seconds(600))
    await lab.waits(1)
    lab.server.setOffline(false)
    lab.pauses.end()
    await ClientLab.until("Nothing was sent.") { lab.server.reports.count == 2 }
    #expect(lab.server.reports == ["completion", "flow_completed"])
    #expect(lab.server.accepted.first?.body?["responses"] == ["name": "Ada"])
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["completion", "flow_completed"], "what was sent is not sent again")
    #expect(lab.pauses.delays == [.seconds(5)])
  }

  @Test("a folder that is usable again during a transmission does not make reports be sent twice")
  func folderAgain() async throws {
    let lab = try ClientLab()
    try Data().write(to: URL(fileURLWithPath: lab.folder.file("state")))
    let client = try await lab.client()
    lab.server.onCompletion { _ in
      if lab.server.asked.count == 1 {
        #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: lab.folder.file("state")) }
        await client.markCompleted(placement: "second")
      }
      return HTTPResponse(status: 200)
    }
    await client.markCompleted(placement: "first")
    await client.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["completion", "flow_completed", "completion", "flow_completed"])
    #expect(Set(lab.server.asked.map { $0.headers["Idempotency-Key"] }).count == 4)
    #expect(try RecordFile(folder: lab.stateFolder).read()?.completed == ["first", "second"])
    #expect(try RecordFile(folder: lab.stateFolder).read()?.reports == [] && lab.outbox.names().isEmpty)
  }
}
