import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  /// Other files in the folder of `--terminal`.
  @Suite("tessera passport read --terminal with unsuitable files")
  struct TerminalFolderTests {
    static func read(_ prepare: (TemporaryFolder) throws -> Void) async throws -> ProgramRun {
      let folder = try TemporaryFolder()
      #expect(try await ProgramRun.tessera(["chip", "terminal", folder.url.path]).status == 0)
      try prepare(folder)
      return try await ProgramRun.tessera(
        ["passport", "read", "--virtual", "all", "--json", "--terminal", folder.url.path], timeout: 60)
    }

    @Test("ignores a pipe without a writer and a folder")
    func pipe() async throws {
      let run = try await Self.read { folder in
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        try FileManager.default.createDirectory(atPath: folder.file("more"), withIntermediateDirectories: false)
      }
      #expect(run.status == 0, "\(run.errors)")
    }

    @Test("names a file that is too long, an unreadable one and a malformed certificate")
    func names() async throws {
      let long = try await Self.read { folder in
        try Data(repeating: 0x30, count: 70_000).write(to: folder.url.appendingPathComponent("long.bin"))
      }
      #expect(
        long.status == 2 && long.errors.contains("long.bin cannot be read, or is too long for a certificate or key"),
        "\(long.errors)")
      let lost = try await Self.read { folder in
        try FileManager.default.createSymbolicLink(
          atPath: folder.file("lost.cv"), withDestinationPath: "/nowhere/at/all")
      }
      #expect(lost.status == 2 && lost.errors.contains("lost.cv cannot be read"), "\(lost.errors)")
      let malformed = try await Self.read { folder in
        try Data([0x7F, 0x21, 0x02, 0x05, 0x00]).write(to: folder.url.appendingPathComponent("wrong.cv"))
      }
      #expect(malformed.status == 2 && malformed.errors.contains("wrong.cv is malformed"), "\(malformed.errors)")
    }
  }
}
