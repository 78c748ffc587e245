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

    /// As `zip -fz` of Info-ZIP writes it: the numbers of the directory are in its Zip64 field.
    @Test(arguments: [ZipArchive.Compression.stored, .deflated])
    func readsDirectoriesInZip64(compression: ZipArchive.Compression) throws {
      for fields in [[24, 20], [24, 20, 42]] {
        let bytes = Self.zip64(try ZipArchive.write(Self.entries, compression), fields)
        #expect(try ZipArchive.read(bytes, Self.limits) == Self.entries)
        // Half of a field, and lengths that lead outside.
        for end in stride(from: 0, to: bytes.count, by: 1) where end > bytes.count - 400 {
          _ = try? ZipArchive.read(Array(bytes[..<end]) + bytes.suffix(22), Self.limits)
        }
        for place in bytes.indices.suffix(400) {
          var changed = bytes
          changed[place] ^= 0xFF
          _ = try? ZipArchive.read(changed, Self.limits)
        }
      }
    }

    /// - Parameter fields: the offsets of the fields of a directory entry that move.
    private static func zip64(_ bytes: [UInt8], _ fields: [Int]) -> [UInt8] {
      func number(_ start: Int, _ count: Int) -> Int {
        bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | Int($1) }
      }
      func encoded(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      }
      let end = bytes.count - 22
      var position = number(end + 16, 4)
      var directory: [UInt8] = []
      while position < end {
        let nameEnd = position + 46 + number(position + 28, 2)
        var entry = Array(bytes[position..<nameEnd])
        let extra = Array(bytes[nameEnd..<nameEnd + number(position + 30, 2)])
        let sizes = fields.flatMap { encoded(number(position + $0, 4), 8) }
        for field in fields { entry.replaceSubrange(field..<field + 4, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
        let zip64 = encoded(1, 2) + encoded(sizes.count, 2) + sizes
        entry.replaceSubrange(30..<32, with: encoded(extra.count + zip64.count, 2))
        directory += entry + extra + zip64
        position = nameEnd + extra.count + number(position + 32, 2)
      }
      var record = Array(bytes[end...])
      record.replaceSubrange(12..<16, with: encoded(directory.count, 4))
      return bytes[..<number(end + 16, 4)] + directory + record
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
