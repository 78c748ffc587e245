import Foundation
import ReRune
import TestSupport
import Testing

extension RealPrograms {
  /// The functions that a program calls. They are about the texts of the process, so each test has a process of its own.
  @Suite struct PublicFunctionTests {
    /// An environment without a network, in German, with a cache of its own.
    private static func prepare(_ folder: String) throws -> String {
      for (name, value) in [
        ("TESSERA_OFFLINE", "1"), ("XDG_CACHE_HOME", "\(folder)/cache"), ("LC_ALL", "de_AT.UTF-8"), ("LANGUAGE", ""),
      ] { setenv(name, value, 1) }
      let resources = "\(folder)/resources"
      try FileManager.default.createDirectory(atPath: "\(resources)/de.lproj", withIntermediateDirectories: true)
      try Data("title = Standard;".utf8).write(to: URL(fileURLWithPath: "\(resources)/de.lproj/Localizable.strings"))
      try Data("title = Other;".utf8).write(to: URL(fileURLWithPath: "\(resources)/de.lproj/Other.strings"))
      return resources
    }

    @Test func lookupsBeforeSetup() async throws {
      let folder = try TemporaryFolder()
      await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        let resources = try Self.prepare(path)
        #expect(reRuneString("title") == "title")
        #expect(reRuneString("title", value: "value") == "value")
        #expect(reRuneString("title", tableName: "Other") == "title")
        // A folder of its own needs no setup.
        #expect(reRuneString("title", bundle: .folder(resources)) == "Standard")
        #expect(ReRune.revision == 0 && reRuneRevision == 0)
        #expect(await ReRune.checkForUpdates().status == .failed)
      }
    }

    @Test func tablesAndFolders() async throws {
      let folder = try TemporaryFolder()
      await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        let resources = try Self.prepare(path)
        ReRune.setup(
          otaPublishId: " pub_1 ", updatePolicy: ReRuneUpdatePolicy(checkOnStart: false), resources: resources,
          applicationName: "..", logLevel: .none)
        for table in [nil, "Localizable"] {
          #expect(reRuneString("title", tableName: table) == "Standard")
          #expect(reRuneString("title", tableName: table, bundle: .folder(resources)) == "Standard")
          #expect(reRuneString("title", tableName: table, bundle: .folder("/proc/nonexistent"), value: "v") == "v")
        }
        #expect(reRuneString("title", tableName: "Other", comment: "for translators") == "Other")
        #expect(reRuneString("title", tableName: "Other", bundle: .folder(resources)) == "Other")
        #expect(reRuneString("missing", tableName: "Other") == "missing")
        // Without a network a check fails, and everything stays.
        let result = await reRuneCheckForUpdates()
        #expect(result.status == .failed)
        #expect(result.errorMessage?.contains("TESSERA_OFFLINE") == true)
        #expect(ReRune.revision == 0)
        var revisions = ReRune.revisions.makeAsyncIterator()
        #expect(await revisions.next() == 0)
        var others = reRuneRevisions.makeAsyncIterator()
        #expect(await others.next() == 0)
        // A name that would lead out of the cache is not used.
        #expect(!FileManager.default.fileExists(atPath: "\(path)/rerune"))
      }
    }

    /// The folder of the texts is that of the program, and the name of the cache's folder is its name. The test writes to the
    /// build folder, which only root may if another user has built.
    @Test(.enabled(if: access(ProgramRun.tessera.deletingLastPathComponent().path, W_OK) == 0))
    func theDefaultsAreThoseOfTheProgramAsRoot() async throws {
      let folder = try TemporaryFolder()
      await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        _ = try Self.prepare(path)
        let program = URL(
          fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let cache = "\(path)/cache/\(program.lastPathComponent)/rerune/\(Self.folderOfPub1)"
        try FileManager.default.createDirectory(
          atPath: cache, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        chmod(cache, 0o700)
        let record = #"{"format":1,"localeTag":"de","payload":"{\"title\":\"Cached\"}"}"#
        try Data(record.utf8).write(to: URL(fileURLWithPath: "\(cache)/locale-de.json"))
        // The program's folder has texts of a table of this test only.
        let lproj = program.deletingLastPathComponent().appendingPathComponent("de.lproj")
        let table = "ReRune-\(UUID().uuidString)"
        try FileManager.default.createDirectory(at: lproj, withIntermediateDirectories: true)
        let file = lproj.appendingPathComponent("\(table).strings")
        try Data("title = Program;".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        reRuneSetup(otaPublishId: "pub_1", updatePolicy: ReRuneUpdatePolicy(checkOnStart: false))
        #expect(reRuneString("title") == "Cached")
        #expect(reRuneString("title", tableName: table) == "Program")
      }
    }

    /// The first 128 bits of the SHA-256 of `pub_1`.
    private static let folderOfPub1 = "b2549aa9b67e803193fcd0edfa9de14a"
  }
}
