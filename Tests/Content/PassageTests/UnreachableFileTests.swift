import Foundation
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// Files that may be there, and that this user cannot see.
  @Suite("Files behind a folder that is closed")
  struct UnreachableFileTests {
    @Test(
      "are not taken for absent ones",
      arguments: [(["log"], "state"), (["clear"], "data"), (["clear"], "state"), (["clear", "--keep-log"], "data")])
    func closed(arguments: [String], folder: String) async throws {
      let lab = try await PassageLab()
      try #require(try await lab.run(["sandbox", "--", "/usr/bin/true"]).status == 0)
      let path = lab.window.home.file(folder)
      // Root gives up its identity, which has no rights here either.
      try #require(chmod(path, 0) == 0)
      defer { chmod(path, 0o755) }
      let run = try await lab.run(arguments)
      #expect(run.status == 7)
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("\(path)/tessera/passage"), "\(run.errors)")
      #expect(run.errors.contains("cannot be reached (Permission denied)"), "\(run.errors)")
      #expect(run.errors.contains("pass through all folders above it"), "\(run.errors)")
    }

    @Test("do not matter if they are to stay")
    func kept() async throws {
      let lab = try await PassageLab()
      try #require(try await lab.run(["sandbox", "--", "/usr/bin/true"]).status == 0)
      let path = lab.window.home.file("state")
      try #require(chmod(path, 0) == 0)
      defer { chmod(path, 0o755) }
      #expect(try await lab.run(["clear", "--keep-log"]).status == 0)
    }
  }
}
