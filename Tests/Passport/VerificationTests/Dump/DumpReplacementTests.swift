import Foundation
import PassportTestSupport
import TestSupport
import Testing

@testable import TesseraDurableFiles
@testable import TesseraPassport
@testable import TesseraVerification

/// A new dump in the place of an older one, at every moment at which its writer can be killed.
@Suite("A dump that replaces another one")
struct DumpReplacementTests {
  private struct Scene {
    let folder: TemporaryFolder
    let (old, new): (SavedDump, SavedDump)
    var path: String { folder.file("dump") }

    init() async throws {
      folder = try TemporaryFolder()
      old = try SavedDump(await Dumps.read("germany-2023"), report: nil)
      new = try SavedDump(await Dumps.read("canada-2023"), report: nil)
      try old.write(to: path)
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/notes.txt"))
    }

    /// Whether the folder has this dump and nothing of another one.
    func has(_ dump: SavedDump) -> Bool {
      guard let loaded = try? SavedDump.load(path: path) else { return false }
      return loaded.modifiedFiles.isEmpty && loaded.dump.files.map(\.bytes) == dump.dump.files.map(\.bytes)
        && loaded.dump.files.map(\.file) == dump.dump.files.map(\.file)
    }
  }

  @Test("before the new one is whole, the older one is there; then the new one, after each move of a file")
  func moments() async throws {
    let scene = try await Scene()
    let entries = try scene.new.entries()
    // Killed while it wrote.
    let temporary = "\(scene.path)/\(PrivateFolder.temporaryName())"
    for entry in entries.dropLast() {
      _ = try DurableFile(path: "\(temporary)/\(entry.name)").write(entry.bytes, replacing: true)
      #expect(scene.has(scene.old))
    }
    let replacement = DumpReplacement(folder: scene.path)
    try replacement.write(entries)
    #expect(scene.has(scene.new))
    // Killed while it removed the older files, or moved the new ones.
    let pending = "\(scene.path)/\(DumpNames.pending)"
    for name in DumpNames.all.sorted() where !entries.contains(where: { $0.name == name }) {
      unlink("\(scene.path)/\(name)")
      #expect(scene.has(scene.new), "\(name)")
    }
    for entry in entries {
      #expect(rename("\(pending)/\(entry.name)", "\(scene.path)/\(entry.name)") == 0)
      #expect(scene.has(scene.new), "\(entry.name)")
    }
    // The next writer takes away what is left, and nothing of another program's.
    try scene.old.write(to: scene.path)
    #expect(scene.has(scene.old))
    let names = try FileManager.default.contentsOfDirectory(atPath: scene.path)
    #expect(!names.contains { $0.hasPrefix(".") } && names.contains("notes.txt"), "\(names)")
  }

  @Test("a writer goes on where a killed one ended")
  func resumed() async throws {
    let scene = try await Scene()
    try DumpReplacement(folder: scene.path).write(scene.new.entries())
    let third = try SavedDump(await Dumps.read("malaysia-2023"), report: nil)
    try third.write(to: scene.path)
    #expect(scene.has(third))
  }

  @Test("of several writers at once, one has its whole dump there")
  func several() async throws {
    let scene = try await Scene()
    let (old, new, path) = (scene.old, scene.new, scene.path)
    for _ in 0..<10 {
      try await withThrowingTaskGroup { group in
        for number in 0..<4 {
          group.addTask { try (number.isMultiple(of: 2) ? old : new).write(to: path) }
        }
        try await group.waitForAll()
      }
      #expect(scene.has(old) || scene.has(new))
    }
  }

  @Test("a link in the place of the new dump's folder is not followed")
  func link() async throws {
    let scene = try await Scene()
    let other = scene.folder.file("other")
    try scene.new.write(to: other)
    try FileManager.default.createSymbolicLink(
      atPath: "\(scene.path)/\(DumpNames.pending)", withDestinationPath: other)
    #expect(scene.has(scene.old))
    let loaded = { try SavedDump.load(path: other).dump.files.count }
    let count = try loaded()
    try scene.new.write(to: scene.path)
    #expect(try scene.has(scene.new) && loaded() == count)
    let left = "\(scene.path)/\(PrivateFolder.temporaryName())"
    try FileManager.default.createSymbolicLink(atPath: left, withDestinationPath: other)
    try scene.old.write(to: scene.path)
    #expect(try scene.has(scene.old) && loaded() == count)
  }

  @Test("a reader beside a writer has one whole dump")
  func readerBesideWriter() async throws {
    let scene = try await Scene()
    let (old, new, path) = (scene.old, scene.new, scene.path)
    try await withThrowingTaskGroup { group in
      group.addTask { for number in 0..<20 { try (number.isMultiple(of: 2) ? new : old).write(to: path) } }
      group.addTask {
        for _ in 0..<100 {
          let loaded = try SavedDump.load(path: path).dump
          let isWhole = [old, new].contains { $0.dump.files.map(\.bytes) == loaded.files.map(\.bytes) }
          #expect(isWhole && loaded.modifiedFiles.isEmpty)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("a folder that other users can write to is not written to")
  func folderOfOthers() async throws {
    let scene = try await Scene()
    chmod(scene.path, 0o775)
    #expect(throws: DumpError.openToOthers(scene.path)) { try scene.new.write(to: scene.path) }
  }

  @Test("a dump that other users can write to is refused", arguments: [0o777, 0o770, 0o702])
  func openToOthers(_ mode: Int) async throws {
    let scene = try await Scene()
    chmod(scene.path, mode_t(mode))
    #expect(throws: DumpError.openToOthers(scene.path)) { try SavedDump.load(path: scene.path) }
    chmod(scene.path, 0o700)
    #expect(scene.has(scene.old))
    let group = "\(scene.path)/DG1.bin"
    chmod(group, 0o666)
    #expect(throws: DumpError.openToOthers(group)) { try SavedDump.load(path: scene.path) }
    let file = scene.folder.file("d.tessera")
    try scene.old.write(to: file)
    chmod(file, 0o666)
    #expect(throws: DumpError.openToOthers(file)) { try SavedDump.load(path: file) }
  }

  @Test(
    "DG2 that was taken from a saved dump with its checksum was not there; one that the read did not ask for was not read"
  )
  func takenOrNotAsked() async throws {
    let read = try await ProfileRead.of("bac", readsCardFiles: true)
    let folder = try TemporaryFolder()
    let path = folder.file("dump")
    func report() throws -> Report { try SavedDump.load(path: path).report(trust: read.trust) }
    try SavedDump(read.dump, report: nil).write(to: path)
    #expect(try report().outcome == .genuine)
    unlink("\(path)/DG2.bin")
    let sums = try #require(String(validating: folder.bytes("dump/SHA256SUMS"), as: UTF8.self))
    let rest = sums.split(separator: "\n").filter { !$0.hasSuffix("DG2.bin") }.map { "\($0)\n" }.joined()
    try Data(rest.utf8).write(to: folder.url.appendingPathComponent("dump/SHA256SUMS"))
    let taken = try report()
    #expect(taken.headline.contains("DG2 was not there") && taken.outcomeReason == .dataGroupMissing)

    var asked = DocumentDump(files: try read.dump.files.filter { $0.file != .dg2 })
    asked.requestedGroups = [1]
    let unasked = try Report(asked, trust: read.trust)
    #expect(unasked.headline.contains("DG2 was not read") && unasked.outcome == .genuine, "\(unasked.headline)")
  }

  @Test("a group that was taken from a dump of another program is in the first line")
  func taken() async throws {
    let (dump, trust) = try #require(try await Dumps.judged("germany-2023"))
    for name in ["DG2", "DG14"] {
      let file = try #require(ElementaryFile.all.first { $0.name == name })
      let report = try Report(
        DocumentDump(files: dump.files.filter { $0.file != file }), trust: trust, at: dump.readAt)
      #expect(report.headline.contains("\(name) was not there") && report.absentGroups == [name], "\(report.headline)")
      #expect(report.outcomeReason == (name == "DG2" ? .dataGroupMissing : .chipProof))
    }
  }
}
