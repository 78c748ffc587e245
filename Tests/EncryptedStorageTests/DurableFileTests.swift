import DurableFiles
import Foundation
import TestSupport
import Testing
import Threads

@Suite("Files that are there wholly or not at all")
struct DurableFileTests {
  let folder: TemporaryFolder
  let place: PrivateFolder

  init() throws {
    folder = try TemporaryFolder()
    place = PrivateFolder(path: folder.file("private"))
    try place.make()
  }

  @Test("a leftover is a file with the name that a writer gives, and no file of a person's")
  func leftoverNames() {
    #expect(PrivateFolder.isLeftover(".new-6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
    for name in [".new-notes.txt", ".new-", ".new-6F9619FF-8B86-D011-B42D-00CF4FC964F", "notes"] {
      #expect(!PrivateFolder.isLeftover(name), "\(name)")
    }
  }

  @Test("a file is in the folder that its path names", arguments: [("/p.jpg", "/"), ("p.jpg", "."), ("a/p.jpg", "a")])
  func folderOfFile(_ path: String, _ folder: String) { #expect(PrivateFolder(ofFile: path).path == folder) }

  @Test("a folder that others change one after the other is waited for; one that a stuck process holds is not")
  func waitingForOthers() async throws {
    let path = place.path
    let holder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(holder) }
    #expect(flock(holder, LOCK_EX) == 0)
    func changed() throws -> Date? {
      try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }
    let before = try changed()
    await #expect(throws: FolderError.held(folder: path)) {
      try await BlockingWork(name: "waiter").run {
        try FolderLock(folder: path, patience: .milliseconds(100)).hold {}
      }
    }
    // One that gave up is no progress of the holder to those who still wait.
    #expect(try changed() == before)
    async let waiter: Void = BlockingWork(name: "waiter").run {
      try FolderLock(folder: path, patience: .seconds(3)).hold {}
    }
    // Longer than the waiter's patience, in which the folder never stays as it is.
    for turn in 0..<40 {
      _ = try DurableFile(path: "\(path)/\(turn)").write([1], replacing: true)
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(flock(holder, LOCK_UN) == 0)
    try await waiter
  }

  @Test("a folder that changes for ever and is never let go of is waited for six times as long, and no longer")
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
    await #expect(throws: FolderError.held(folder: path)) {
      try await BlockingWork(name: "waiter").run {
        try FolderLock(folder: path, patience: .milliseconds(100)).hold {}
      }
    }
    changes.cancel()
  }

  @Test("what is being written is no leftover to those who clear the folder meanwhile")
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

  @Test("content that was not placed goes away, and what a killed process left does, too")
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
