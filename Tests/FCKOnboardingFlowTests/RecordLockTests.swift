import Foundation
import Glibc
import TesseraDurableFiles
import TestSupport
import Testing

@testable import FCKOnboardingFlow

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

  @Test("the program waits two seconds at most") func wait() throws {
    #expect(RecordFile.longestWait == .seconds(2))
    let folder = try TemporaryFolder()
    let owner = Owner(folder.url.path)
    defer { withExtendedLifetime(owner) {} }
    // The limit of all waits counts, not the ten seconds for each owner.
    let time = ContinuousClock().measure {
      #expect(throws: FolderError.locked(folder: folder.url.path)) {
        try RecordFile(folder: folder.url.path, wait: .zero).update { _ in }
      }
    }
    #expect(time < .seconds(8))
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
    try RecordFile(folder: path).update { _ = $0.setResponse("other", for: "b") }
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
      await client.finishSending(atMost: .seconds(30))
      #expect(lab.server.reports == ["completion", "flow_completed"])
      withExtendedLifetime(owner) {}
    }
    #expect(await client.isCompleted())
    _ = try await lab.client()
    #expect(lab.server.reports == ["completion", "flow_completed"])
    #expect(try RecordFile(folder: lab.stateFolder).read()?.completed == ["main"])
  }
}
