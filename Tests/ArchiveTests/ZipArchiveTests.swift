import Foundation
import TestSupport
import Testing

@testable import TesseraArchive

extension RealPrograms {
  /// Archives of Python's `zipfile`, archives for Python's `zipfile`, and hostile ones.
  @Suite struct ZipArchiveTests {
    static let limits = ZipArchive.Limits(
      maximumEntries: 100, maximumEntrySize: 4 << 20, maximumTotalSize: 8 << 20)
    static let entries = [
      ZipEntry(name: "list.ml", bytes: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) }),
      ZipEntry(name: "folder/empty", bytes: []),
      ZipEntry(name: "Größe.txt", bytes: Array("hello".utf8)),
    ]

    /// The archive that a Python script leaves in the file of its first argument.
    static func python(_ script: String) async throws -> [UInt8] {
      let folder = try TemporaryFolder()
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"), ["-c", "import sys, zipfile\n" + script, folder.file("archive.zip")]
      ).finish()
      try #require(run.status == 0, "\(run.errors)")
      return folder.bytes("archive.zip")
    }

    @Test(arguments: ["ZIP_STORED", "ZIP_DEFLATED"])
    func readsArchivesOfPython(method: String) async throws {
      let bytes = try await Self.python(
        """
        with zipfile.ZipFile(sys.argv[1], "w", zipfile.\(method)) as archive:
          archive.writestr("a.txt", b"abc" * 100_000)
          archive.mkdir("folder") if hasattr(archive, "mkdir") else archive.writestr("folder/", b"")
          archive.writestr("folder/ü", b"")
        """)
      #expect(ZipArchive.isZip(bytes))
      let entries = try ZipArchive.read(bytes, Self.limits)
      #expect(entries.map(\.name) == ["a.txt", "folder/ü"])
      #expect(entries.map(\.bytes.count) == [300_000, 0])
      #expect(entries.first?.bytes.starts(with: Array("abcabc".utf8)) == true)
    }

    /// `zip` writes sizes behind the data when it cannot seek, and so does Python.
    @Test func readsStreamedArchives() async throws {
      let bytes = try await Self.python(
        """
        class Pipe:
          def __init__(self, file): self.file = file
          def write(self, data): return self.file.write(data)
          def flush(self): self.file.flush()
        with open(sys.argv[1], "wb") as file, zipfile.ZipFile(Pipe(file), "w", zipfile.ZIP_DEFLATED) as archive:
          archive.writestr("a", b"a" * 1000)
          archive.writestr("b", b"b" * 1000)
        """)
      #expect(try ZipArchive.read(bytes, Self.limits).map(\.bytes.count) == [1000, 1000])
    }

    @Test func readsZip64AndEmptyArchives() async throws {
      let large = try await Self.python(
        """
        with zipfile.ZipFile(sys.argv[1], "w") as archive:
          with archive.open("a", "w", force_zip64=True) as file: file.write(b"abc")
        """)
      #expect(try ZipArchive.read(large, Self.limits) == [ZipEntry(name: "a", bytes: Array("abc".utf8))])
      let empty = try await Self.python(#"zipfile.ZipFile(sys.argv[1], "w").close()"#)
      #expect(ZipArchive.isZip(empty))
      #expect(try ZipArchive.read(empty, Self.limits).isEmpty)
      #expect(try ZipArchive.read(try ZipArchive.write([]), Self.limits).isEmpty)
    }

    @Test(arguments: [ZipArchive.Compression.stored, .deflated])
    func readsWhatItWrites(compression: ZipArchive.Compression) throws {
      let bytes = try ZipArchive.write(Self.entries, compression)
      #expect(try ZipArchive.read(bytes, Self.limits) == Self.entries)
      #expect(try ZipArchive.write(Self.entries, compression) == bytes)
    }

    @Test func writesArchivesForPython() async throws {
      let folder = try TemporaryFolder()
      try Data(try ZipArchive.write(Self.entries)).write(to: folder.url.appendingPathComponent("a.zip"))
      let script = """
        import sys, zipfile
        archive = zipfile.ZipFile(sys.argv[1])
        assert archive.testzip() is None
        for entry in archive.infolist():
          print(entry.filename, len(archive.read(entry)), entry.date_time, oct(entry.external_attr >> 16))
        """
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"), ["-c", script, folder.file("a.zip")],
        environment: ["PYTHONIOENCODING": "utf-8"]
      ).finish()
      #expect(
        run.output == """
          list.ml 100000 (1980, 1, 1, 0, 0, 0) 0o100600
          folder/empty 0 (1980, 1, 1, 0, 0, 0) 0o100600
          Größe.txt 5 (1980, 1, 1, 0, 0, 0) 0o100600

          """, "\(run.errors)")
    }

    @Test(arguments: ["", "a\0b", String(repeating: "n", count: 65_536)])
    func refusesInvalidNames(name: String) {
      #expect(throws: ArchiveError.invalidName) { try ZipArchive.write([ZipEntry(name: name, bytes: [])]) }
    }

    @Test func longestName() throws {
      let entry = ZipEntry(name: String(repeating: "n", count: 65_535), bytes: [1])
      #expect(try ZipArchive.read(try ZipArchive.write([entry]), Self.limits) == [entry])
    }

    @Test func refusesOtherCompression() async throws {
      let archive = try await Self.python(
        #"zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_LZMA).writestr("a", b"abc" * 1000)"#)
      #expect(throws: ArchiveError.unsupportedCompression(14)) { try ZipArchive.read(archive, Self.limits) }
    }
  }
}
