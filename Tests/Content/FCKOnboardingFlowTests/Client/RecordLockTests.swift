import Foundation
import Glibc
import TesseraDurableFiles
import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingClient

/// A record that another process keeps locked.
@Suite struct RecordLockTests {
  /// Another process that has the lock of the record.
  private final class Owner {
    private let descriptor: Int32

    init(_ folder: String) {
      try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    deinit { close(descriptor) }
  }

  /// How often this thread has slept: the kernel's count of its voluntary context switches.
  private static var sleeps: Int {
    var usage = rusage()
    // RUSAGE_THREAD, which Glibc's module lacks.
    getrusage(1, &usage)
    return usage.ru_nvcsw
  }

  @Test("the program waits two seconds at most") func wait() throws {
    #expect(RecordFile.longestWait == .seconds(2))
    let folder = try TemporaryFolder()
    let owner = Owner(folder.url.path)
    defer { withExtendedLifetime(owner) {} }
    // The limit of all waits counts, not the ten seconds for each owner, in which it would sleep thousands of times.
    let before = Self.sleeps
    #expect(throws: FolderError.locked(folder: folder.url.path)) {
      try RecordFile(folder: folder.url.path, wait: .zero).update { _ in }
    }
    #expect(Self.sleeps - before < 100)
  }

  @Test("what happens meanwhile is added to what the other process stores") func merge() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("state")
    let device = try RecordFile(folder: path).update { _ = $0.setResponse("old", for: "a") }.0.deviceId
    let store = RecordStore(RecordFile(folder: path, wait: .zero), logger: .init(label: "test"))
    do {
      let owner = Owner(path)
      store.update { _ = $0.setResponse("new", for: "a") }
      let isFirst = store.update { $0.complete("main") }
      #expect(isFirst && store.current().deviceId == device, "the file is read without the lock")
      withExtendedLifetime(owner) {}
    }
    // What the other process stored.
    _ = try RecordFile(folder: path).update { $0.setResponse("other", for: "b") }
    store.update { _ = $0.setResponse("last", for: "c") }
    let record = try #require(try RecordFile(folder: path).read())
    #expect(record.responses == ["a": "new", "b": "other", "c": "last"])
    #expect(record.completed == ["main"] && record.deviceId == device)
  }

  @Test("a completion under a lock is reported once") func completion() async throws {
    let lab = try ClientLab()
    _ = try await lab.client().getUserResponses()
    let client = try await lab.client()
    do {
      let owner = Owner(lab.stateFolder)
      await client.markCompleted()
      await client.finishSending(atMost: .seconds(600))
      #expect(lab.server.reports == ["completion", "flow_completed"])
      withExtendedLifetime(owner) {}
    }
    #expect(await client.isCompleted())
    _ = try await lab.client()
    #expect(lab.server.reports == ["completion", "flow_completed"])
    #expect(try RecordFile(folder: lab.stateFolder).read()?.completed == ["main"])
  }

  // MARK: - Reports that another process may be moving

  private func reports(_ lab: ClientLab) -> CompletionReports {
    let record = RecordStore(RecordFile(folder: lab.stateFolder, wait: .zero), logger: .init(label: "test"))
    return CompletionReports(record: record, outbox: lab.outbox, environment: .sandbox, logger: .init(label: "test"))
  }

  private static let entries = ["a", "b"].map { OutboxEntry(.event, ["name": .string($0)], at: ClientLab.start) }

  private func store(_ entries: [OutboxEntry], _ lab: ClientLab) throws {
    _ = try RecordFile(folder: lab.stateFolder).update { $0.add(entries.map { PendingReport(.sandbox, $0) }) }
  }

  @Test("without the lock, the reports of the file are not moved") func noMove() throws {
    let lab = try ClientLab()
    try store(Self.entries, lab)
    let reports = reports(lab)
    do {
      let owner = Owner(lab.stateFolder)
      #expect(reports.move() == Set(Self.entries.map(\.id)))
      #expect(try lab.outbox.names().isEmpty)
      // The other process has moved one, and not noted it yet.
      #expect(try lab.outbox.append(Self.entries[0]) == 0)
      #expect(reports.move() == Set(Self.entries.map(\.id)))
      withExtendedLifetime(owner) {}
    }
    #expect(reports.move().isEmpty && reports.move().isEmpty)
    #expect(try lab.outbox.names().map(\.id) == Self.entries.map(\.id))
  }

  /// Reports of a process that knows the first entry, which another one has moved and sent. Then `body` runs without
  /// the lock, and the second entry is its own.
  private func withMovedReport(_ lab: ClientLab, _ body: (CompletionReports) throws -> Void) throws -> CompletionReports
  {
    try store([Self.entries[0]], lab)
    let reports = reports(lab)
    #expect(reports.record.current().reports.count == 1)
    _ = try RecordFile(folder: lab.stateFolder).update { $0.removeReports([Self.entries[0].id]) }
    let owner = Owner(lab.stateFolder)
    defer { withExtendedLifetime(owner) {} }
    #expect(reports.record.update { $0.add([PendingReport(.sandbox, Self.entries[1])]) } == 0)
    try body(reports)
    return reports
  }

  @Test("without the lock, what only this process knows is moved") func ownReports() throws {
    let lab = try ClientLab()
    let reports = try withMovedReport(lab) { reports throws in
      #expect(reports.unstored == [Self.entries[1]])
      #expect(reports.move().isEmpty && reports.unstored.isEmpty)
      #expect(try lab.outbox.names().map(\.id) == [Self.entries[1].id])
    }
    #expect(reports.move().isEmpty && reports.record.current().reports.isEmpty)
    #expect(try lab.outbox.names().map(\.id) == [Self.entries[1].id])
  }

  @Test("after more changes than are kept, a report that another process moved does not come back") func manyChanges()
    throws
  {
    let lab = try ClientLab()
    let reports = try withMovedReport(lab) { reports in
      for number in 0...1_000 { reports.record.update { _ = $0.setResponse("\(number)", for: "a") } }
    }
    #expect(reports.move().isEmpty)
    #expect(try lab.outbox.names().map(\.id) == [Self.entries[1].id])
    #expect(try RecordFile(folder: lab.stateFolder).read()?.responses == ["a": "1000"])
  }

  @Test("several processes move each report once") func severalMovers() async throws {
    let lab = try ClientLab()
    let entries = (0..<8).map { OutboxEntry(.event, ["n": .integer($0)], at: ClientLab.start) }
    try store(entries, lab)
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { _ = reports(lab).move() } }
    }
    #expect(reports(lab).move().isEmpty)
    #expect(try lab.outbox.names().map(\.id) == entries.map(\.id))
  }

  /// If the other process crashed after the report was sent, the record would still have it.
  @Test("a report that another process is moving is sent when the record has it no more") func movedByOther()
    async throws
  {
    let lab = try ClientLab()
    try store(Self.entries, lab)
    for entry in Self.entries { #expect(try lab.outbox.append(entry) == 0) }
    let client: OnboardingClient
    do {
      let owner = Owner(lab.stateFolder)
      client = try await lab.client()
      await lab.waits(1)
      #expect(lab.server.asked.isEmpty)
      withExtendedLifetime(owner) {}
    }
    lab.pauses.end()
    await ClientLab.until("Nothing was sent.") { lab.server.reports.count == 2 }
    await client.finishSending(atMost: .seconds(600))
    _ = try await lab.client()
    #expect(lab.server.asked.map { $0.headers["Idempotency-Key"] } == Self.entries.map(\.id))
    #expect(try RecordFile(folder: lab.stateFolder).read()?.reports == [] && lab.outbox.names().isEmpty)
  }
}
