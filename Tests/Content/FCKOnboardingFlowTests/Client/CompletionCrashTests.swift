import Foundation
import TesseraHTTPClient
import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingClient

/// A process that ends between the steps of a completion: neither the flag nor a report is lost, and none is sent
/// twice.
@Suite struct CompletionCrashTests {
  private static let reports = ["completion", "flow_completed"]

  private let lab: ClientLab
  private var record: RecordFile { RecordFile(folder: lab.stateFolder) }

  init() throws { lab = try ClientLab() }

  /// The first step only: the process ends after it.
  private func crashAfterRecord(_ environment: FCKEnvironment = .sandbox) throws {
    var configuration = lab.configuration()
    configuration.environment = environment
    let session = try ClientSession(configuration, services: lab.services)
    session.record.update { _ = $0.setResponse("Ada", for: "name") }
    session.noteCompletion(of: "main", userId: "user-1", flowId: "flow-1", screenIndex: 3)
  }

  /// Both files have the reports: the process ends before the record forgets them.
  private func crashAfterOutbox() throws {
    try crashAfterRecord()
    for report in try #require(try record.read()).reports { #expect(try lab.outbox.append(report.entry) == 0) }
  }

  @Test("the flag and the reports are one write") func oneWrite() throws {
    try crashAfterRecord()
    let stored = try #require(try record.read())
    #expect(stored.completed == ["main"])
    #expect(stored.reports.map(\.entry.kind) == [.completion, .event])
    #expect(stored.reports.first?.entry.body["responses"] == ["name": "Ada"])
    #expect(try lab.outbox.names().isEmpty)
    #expect(try ClientLab.modes(lab.stateFolder) == ["record.json": 0o600])
  }

  @Test("a crash before the outbox has the reports") func beforeOutbox() async throws {
    try crashAfterRecord()
    let client = try await lab.client()
    #expect(lab.server.reports == Self.reports)
    #expect(lab.server.accepted.first?.body?["responses"] == ["name": "Ada"])
    #expect(lab.server.accepted.last?.body?["screenIndex"] == 3)
    #expect(await client.isCompleted())
    await client.markCompleted()
    _ = try await lab.client()
    #expect(lab.server.reports == Self.reports)
    #expect(try record.read()?.reports == [])
  }

  @Test("a crash before the record forgets the reports") func afterOutbox() async throws {
    try crashAfterOutbox()
    _ = try await lab.client()
    _ = try await lab.client()
    #expect(lab.server.reports == Self.reports)
    #expect(try record.read()?.reports == [] && lab.outbox.names().isEmpty)
  }

  /// A client that has completed, and waits before it tries again. A file is in place of the outbox's folder, so no
  /// entry can be written.
  private func completedWithoutOutbox() async throws -> OnboardingClient {
    let client = try await lab.client()
    _ = await client.getUserResponses()
    try Data().write(to: URL(fileURLWithPath: lab.outbox.folder))
    await client.markCompleted()
    await client.finishSending(atMost: .seconds(600))
    await lab.waits(1)
    return client
  }

  @Test("reports that the outbox cannot take stay in the record, also after a crash") func unusableOutbox() async throws
  {
    let client = try await completedWithoutOutbox()
    #expect(lab.server.asked.isEmpty)
    #expect(try record.read()?.reports.map(\.entry.kind) == [.completion, .event])
    #expect(try record.read()?.completed == ["main"])
    // This process could end now. It tries again later.
    try FileManager.default.removeItem(atPath: lab.outbox.folder)
    let other = try await lab.client()
    #expect(lab.server.reports == Self.reports)
    lab.pauses.end()
    try await client.trackEvent(name: "later")
    for client in [client, other] { await client.finishSending(atMost: .seconds(600)) }
    await ClientLab.until("The event was not sent.") { lab.server.reports.count == 3 }
    #expect(lab.server.reports == Self.reports + ["later"])
    #expect(try record.read()?.reports == [] && lab.outbox.names().isEmpty)
  }

  @Test("the process that could not write the reports sends them later") func usableAgain() async throws {
    let client = try await completedWithoutOutbox()
    try FileManager.default.removeItem(atPath: lab.outbox.folder)
    lab.pauses.end()
    await ClientLab.until("The reports were not sent.") { lab.server.reports.count == 2 }
    await client.finishSending(atMost: .seconds(600))
    _ = try await lab.client()
    #expect(lab.server.reports == Self.reports)
    #expect(try record.read()?.reports == [] && lab.outbox.names().isEmpty)
  }

  @Test("another process that sends meanwhile does not make the reports be sent twice") func otherProcess() async throws
  {
    let other = try await lab.client()
    // The folder of the outbox is there, so that the other process looks into it.
    try await other.trackEvent(name: "before")
    await other.finishSending(atMost: .seconds(600))
    try crashAfterOutbox()
    try await other.trackEvent(name: "after")
    await other.finishSending(atMost: .seconds(600))
    #expect(lab.server.reports == ["before"] + Self.reports + ["after"])
    _ = try await lab.client()
    #expect(lab.server.reports == ["before"] + Self.reports + ["after"])
  }

  /// The crash happens while the other process waits for the server: it has looked into the record before.
  @Test("reports that appear during a transmission are not sent twice") func duringTransmission() async throws {
    let other = try await lab.client()
    lab.server.onEvents { [self] request in
      if lab.server.asked.count == 1 { do { try crashAfterOutbox() } catch { Issue.record(error) } }
      return HTTPResponse(status: 200)
    }
    try await other.trackEvent(name: "first")
    await other.finishSending(atMost: .seconds(600))
    _ = try await lab.client()
    #expect(lab.server.asked.map { $0.body?["eventType"]?.stringValue ?? $0.path } == ["first"] + Self.reports)
  }

  @Test("what was finished in one environment is not reported to the other") func environments() async throws {
    try crashAfterRecord(.production)
    _ = try await lab.client()
    #expect(lab.server.asked.isEmpty)
    #expect(try record.read()?.reports.map(\.environment) == [.production, .production])
  }

  @Test("a reset forgets the reports") func reset() async throws {
    try crashAfterRecord(.production)
    try await lab.client().reset()
    #expect(try record.read()?.reports == [] && record.read()?.completed == [])
  }

  @Test("a record has at most eight reports, and survives its file with them") func limits() throws {
    var stored = OnboardingRecord()
    let entries = (0..<10).map { OutboxEntry(.event, ["n": .integer($0)], at: ClientLab.start) }
    #expect(stored.add(entries.map { PendingReport(.sandbox, $0) }) == 2)
    #expect(stored.reports.map(\.entry) == Array(entries.suffix(8)))
    #expect(OnboardingRecord(file: stored.file) == stored)
    let damaged = String(decoding: stored.file, as: UTF8.self)
      .replacing("\"kind\":\"event\"", with: "\"kind\":\"x\"", maxReplacements: 3)
    #expect(OnboardingRecord(file: Array(damaged.utf8))?.reports.count == 5)
  }
}
