import Foundation
import TesseraDurableFiles
import TesseraThreads
import TestSupport
import Testing

@Suite("Durable files")
struct DurableFileTests {
  let folder: TemporaryFolder
  let place: PrivateFolder

  init() throws {
    folder = try TemporaryFolder()
    place = PrivateFolder(path: folder.file("private"))
    try place.make()
  }

  @Test("recognises only temporary files as leftovers, not files of the user")
  func leftoverNames() {
    #expect(PrivateFolder.isLeftover(".new-6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
    for name in [".new-notes.txt", ".new-", ".new-6F9619FF-8B86-D011-B42D-00CF4FC964F", "notes"] {
      #expect(!PrivateFolder.isLeftover(name), "\(name)")
    }
  }

  @Test("derives the folder from the path of a file", arguments: [("/p.jpg", "/"), ("p.jpg", "."), ("a/p.jpg", "a")])
  func folderOfFile(_ path: String, _ folder: String) { #expect(PrivateFolder(ofFile: path).path == folder) }

  @Test("waits longer than the timeout for a folder that changes, but not for one that a stuck process locks")
  func waitingForOthers() async throws {
    let path = place.path
    let holder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(holder) }
    #expect(flock(holder, LOCK_EX) == 0)
    func changed() throws -> Date? {
      try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }
    let before = try changed()
    await #expect(throws: FolderError.locked(folder: path)) {
      try await BlockingWork(name: "waiter").run {
        try FolderLock(folder: path, timeout: .milliseconds(100)).withLock {}
      }
    }
    // A waiter that gives up does not reset the timeout of other waiters.
    #expect(try changed() == before)
    // The time passes only between the looks of the waiter.
    let time = Locked((now: ContinuousClock.now, looks: 0, isOver: false))
    async let waiter: Void = BlockingWork(name: "waiter").run {
      defer { time.withLock { $0.isOver = true } }
      let now: @Sendable () -> ContinuousClock.Instant = {
        time.withLock { time in
          time.looks += 1
          return time.now
        }
      }
      try FolderLock(folder: path, timeout: .seconds(3), now: now).withLock {}
    }
    // It looks at the time twice at most after it has looked at the folder, and then at the folder again.
    func look() async throws {
      let last = time.withLock { $0.looks + 3 }
      try await eventually(every: .milliseconds(1)) { time.withLock { $0.isOver || $0.looks >= last } }
    }
    try await look()
    // Changes the folder for longer than the timeout.
    for turn in 0..<8 {
      let previous = try changed()
      repeat {
        _ = try DurableFile(path: "\(path)/\(turn)").write([1], replacing: true)
      } while try changed() == previous
      try await look()
      time.withLock { $0.now += .seconds(2) }
    }
    #expect(flock(holder, LOCK_UN) == 0)
    try await waiter
  }

  @Test("waits at most six timeouts for a folder that keeps changing")
  func endlessChanges() async throws {
    let path = place.path
    let holder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(holder) }
    #expect(flock(holder, LOCK_EX) == 0)
    let changes = Task {
      while !Task.isCancelled {
        futimens(holder, nil)
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    await #expect(throws: FolderError.locked(folder: path)) {
      try await BlockingWork(name: "waiter").run {
        try FolderLock(folder: path, timeout: .milliseconds(100)).withLock {}
      }
    }
    changes.cancel()
  }

  @Test("does not remove temporary files that another writer is using")
  func living() async throws {
    let place = place
    try await withThrowingTaskGroup { group in
      for writer in 0..<4 {
        group.addTask {
          try await BlockingWork(name: "writer").run {
            let file = DurableFile(path: "\(place.path)/\(writer)")
            for turn in 0..<250 {
              let isWritten = try file.write([UInt8(turn)], replacing: true)
              #expect(isWritten)
              let isReplaced = try file.write([0], replacing: false)
              #expect(!isReplaced)
            }
          }
        }
      }
      for _ in 0..<2 {
        group.addTask {
          try await BlockingWork(name: "clearing").run { for _ in 0..<2_000 { place.removeLeftovers() } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try place.names() == ["0", "1", "2", "3"])
    for writer in 0..<4 { #expect(folder.bytes("private/\(writer)") == [249]) }
  }

  @Test("removes unplaced content and the temporary files of killed processes")
  func leftovers() throws {
    let file = DurableFile(path: place.path + "/file")
    #expect(try file.write([1], replacing: true))
    do {
      let staged = try file.staged([2])
      #expect(try place.names().count == 2)
      place.removeLeftovers()
      #expect(try place.names().count == 2)
      withExtendedLifetime(staged) {}
    }
    #expect(try place.names() == ["file"])
    #expect(folder.bytes("private/file") == [1])
    try file.staged([3]).replace()
    #expect(folder.bytes("private/file") == [3])
    try Data().write(to: URL(fileURLWithPath: place.path + "/.new-6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
    place.removeLeftovers()
    #expect(try place.names() == ["file"])
  }
}
