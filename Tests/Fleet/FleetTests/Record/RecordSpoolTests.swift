import Foundation
import TesseraCore
import TesseraCryptography
import TesseraEncryptedStorage
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("The spool of records")
  struct RecordSpoolTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("spool") }

    init() throws { folder = try TemporaryFolder() }

    private static func record(_ text: String, dump: [UInt8]? = nil) throws -> ReadRecord {
      ReadRecord(
        desk: try #require(DeskName("d1")), readID: try RecordExamples.readID(), payload: Array(text.utf8),
        dump: try dump.map { RecordDump(identifier: try .random(), content: $0) })
    }

    private static func name(_ record: ReadRecord, _ time: Double) throws -> SpoolName {
      SpoolName(time: Date(timeIntervalSince1970: time), messageID: try record.messageID)
    }

    @Test("records come back as they were, with their dumps, in the order of their times")
    func roundTrip() async throws {
      let records = [
        try Self.record("{\"a\": 1}"), try Self.record("{\"b\":\n2}", dump: [UInt8](repeating: 10, count: 1_200_000)),
        try Self.record("", dump: [0]),
      ]
      // Written in the opposite order.
      for (number, record) in records.enumerated().reversed() {
        try await RecordLab.spool(path).set(record, for: Self.name(record, Double(number + 5)))
      }
      // Another process.
      let spool = RecordLab.spool(path)
      let names = try await spool.list().waiting
      var found: [ReadRecord] = []
      for name in names { found.append(try #require(try await spool.record(name))) }
      #expect(found == records)
      #expect(names.map(\.time.timeIntervalSince1970) == [5, 6, 7])
      for name in names { try await spool.remove(name) }
      #expect(try await spool.list() == RecordSpool.Listing())
      #expect(try await spool.record(names[0]) == nil)
    }

    @Test("the files of the spool contain no text of a record")
    func encrypted() async throws {
      let record = try Self.record("a text that is found")
      try await RecordLab.spool(path).set(record, for: Self.name(record, 5))
      let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
      var entries = 0
      for file in files {
        guard let bytes = FileManager.default.contents(atPath: "\(path)/\(file)") else { continue }
        if bytes.count > record.payload.count { entries += 1 }
        #expect(bytes.range(of: Data("a text".utf8)) == nil && bytes.range(of: Data("rrrr".utf8)) == nil)
        #expect(!file.contains("rrrr"))
      }
      #expect(entries > 0)
    }

    @Test("over the quota, a record is refused with a typed error and the others stay")
    func quota() async throws {
      let spool = RecordLab.spool(path, StorageLimits(entriesPerOwner: 1))
      let (first, second) = (try Self.record("1"), try Self.record("2"))
      try await spool.set(first, for: Self.name(first, 5))
      let error = try await #require(throws: StorageError.self) {
        try await spool.set(second, for: Self.name(second, 6))
      }
      #expect(error.failure.kind == .storageFull)
      #expect(try await spool.list().waiting == [Self.name(first, 5)])
    }

    @Test("a refused record stays, and does not wait any more")
    func refused() async throws {
      let record = try Self.record("1")
      let spool = RecordLab.spool(path)
      let name = try Self.name(record, 5)
      try await spool.set(record, for: name)
      try await spool.setAside(record, name)
      let listing = try await spool.list()
      #expect(listing.waiting == [] && listing.refused == 1 && listing.damaged == 0)
      #expect(try await spool.record(name.refused) == record)
    }

    @Test("names of times that no clock should have are valid", arguments: [-1e30, 0, 1e11, 1e30, .nan, .infinity])
    func names(_ time: Double) throws {
      let name = SpoolName(time: Date(timeIntervalSince1970: time), messageID: "id")
      #expect(SpoolName(name.text) == name && !name.isRefused)
      #expect(SpoolName(name.refused.text)?.isRefused == true && name.refused.time == name.time)
    }

    @Test(
      "other texts are no names", arguments: ["", "id", "5 id", "00000000000000x id", "refused id", "000000000000005"])
    func otherNames(_ text: String) { #expect(SpoolName(text) == nil) }

    @Test("a record that was cut off, extended or made up is malformed, and never a trap")
    func malformed() throws {
      let bytes = SpooledRecord.encode(try Self.record("{}", dump: [1, 2, 3]))
      #expect(try SpooledRecord.decode(bytes).dump?.content == [1, 2, 3])
      let payloadStart = bytes.count - 5
      for length in 0...payloadStart + 2 {
        #expect(throws: SpooledRecord.Problem.malformed, "\(length) bytes") {
          try SpooledRecord.decode(Array(bytes.prefix(length)))
        }
      }
      for header in [
        "[]", "{}", #"{"desk":"d1","read":"x","bytes":0}"#,
        #"{"desk":"d1","read":"rrrrrrrrrrrrrrrrrrrrrr","bytes":-1}"#,
        #"{"desk":"d1","read":"rrrrrrrrrrrrrrrrrrrrrr","bytes":9223372036854775807}"#,
        #"{"desk":"d1","read":"rrrrrrrrrrrrrrrrrrrrrr","bytes":0,"dump":"rrrrrrrrrrrrrrrrrrrrrr"}"#,
        #"{"desk":"D","read":"rrrrrrrrrrrrrrrrrrrrrr","bytes":0}"#, String(repeating: "[", count: 1000),
      ] {
        #expect(throws: SpooledRecord.Problem.malformed) {
          try SpooledRecord.decode(Array("Tessera-Record: 1\n\(header)\n".utf8))
        }
      }
      #expect(throws: SpooledRecord.Problem.laterVersion) {
        try SpooledRecord.decode(Array("Tessera-Record: 2\nwhatever".utf8))
      }
    }
  }
}
