import FleetLab
import Foundation
import TesseraBridge
import TesseraCryptography
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("The content of records")
  struct RecordContentTests {
    private static func json(_ record: ReadRecord) throws -> JSONValue {
      try JSONValue(text: String(decoding: record.payload, as: UTF8.self))
    }

    @Test("by default a record of any document has none of its fields, images or digests")
    func nothingPersonal() async throws {
      var count = 0
      for profile in ChipProfile.all {
        let read: FinishedRead
        do {
          read = try await RecordExamples.shared(profile)
        } catch is PassportError {
          continue
        }
        count += 1
        let record = try ReadRecord(read, policy: RecordPolicy())
        let text = String(decoding: record.payload, as: UTF8.self)
        #expect(record.dump == nil)
        let document = read.report.document
        var values = [
          document.issuingState, document.documentNumber, document.primaryIdentifier, document.secondaryIdentifier,
          document.nationality, document.dateOfBirth, document.dateOfExpiry, document.optionalData,
          "\"\(document.sex)\"", "\"\(document.type)\"",
        ]
        values += document.primaryIdentifier.split(separator: " ").map(String.init)
        values += document.secondaryIdentifier.split(separator: " ").map(String.init)
        values += document.mrz.split(separator: "\n").map(String.init)
        values += read.report.files.map(\.sha256)
        values += read.dump.files.map { Data($0.bytes.prefix(60)).base64EncodedString() }
        if let details = read.report.content.personalDetails {
          values += [details.fullName, details.personalNumber, details.dateOfBirth, details.placeOfBirth].compactMap {
            $0
          }
        }
        if let portrait = read.dump.portrait { values.append(Data(portrait.data.prefix(60)).base64EncodedString()) }
        values += read.report.checks.map(\.detail) + read.report.findings.map(\.detail)
        for value in values where !value.isEmpty {
          #expect(!text.contains(value), "\(profile.name): a record has a field of \(value.count) characters")
        }
      }
      // Most specimens can be read.
      #expect(count > ChipProfile.all.count / 2)
    }

    @Test("a record states the read, the verdict, the checks, the files and the transport, in a fixed order")
    func facts() async throws {
      let read = try await RecordExamples.finished()
      let json = try Self.json(ReadRecord(read, policy: RecordPolicy()))
      guard case .object(let members) = json else {
        Issue.record("not an object")
        return
      }
      #expect(
        members.names == [
          "version", "read", "desk", "inspector", "software", "deskSoftware", "time", "mode", "outcome", "checks",
          "findings", "access", "files", "omissions", "transport", "trustVersion", "documentTag",
        ])
      #expect(json["version"] == 1 && json["read"]?.stringValue == read.readID.text && json["desk"] == "desk-1")
      #expect(json["inspector"]?.stringValue == RecordExamples.inspector && json["mode"] == "witnessed")
      #expect(json["outcome"] == "genuine" && json["access"] == "BAC" && json["trustVersion"] == 7)
      #expect(
        json["checks"]
          == .array(
            read.report.checks.map {
              ["id": .string($0.id.rawValue), "status": .string($0.status.rawValue)]
            }))
      #expect(json["files"] == .array(read.report.files.map { .string($0.name) }))
      // The tag of the same document in another read is another one.
      let other = try Self.json(ReadRecord(try await RecordExamples.finished(.bac, "s"), policy: RecordPolicy()))
      #expect(json["documentTag"]?.stringValue?.count == 64 && json["documentTag"] != other["documentTag"])
      #expect(json["transport"]?["exchanges"] == .integer(Int64(read.dump.statistics.exchanges)))
    }

    @Test("the reason of another verdict is stated, and findings by their identifiers")
    func reason() async throws {
      let read = try await RecordExamples.finished(trust: false)
      let json = try Self.json(ReadRecord(read, policy: RecordPolicy()))
      #expect(json["outcome"] == "notEstablished" && json["reason"] == "noCountryCertificates")
    }

    @Test("kept fields are as in the report, hashed ones are codes of a key")
    func keptAndHashed() async throws {
      let read = try await RecordExamples.finished()
      let key = SecretBytes([UInt8](repeating: 5, count: 32))
      let policy = try RecordPolicy(
        [.issuingState: .keep, .digests: .keep, .documentNumber: .hash, .mrz: .hash, .portrait: .hash], hashKey: key)
      let json = try Self.json(ReadRecord(read, policy: policy))
      #expect(json["document"]?["issuingState"]?.stringValue == read.report.document.issuingState)
      let first = try #require(read.report.files.first)
      #expect(json["document"]?["digests"]?[first.name]?.stringValue == first.sha256)
      let code = try HMAC.code(of: Array("documentNumber\u{0}\(read.report.document.documentNumber)".utf8), key: key)
      #expect(json["hashed"]?["documentNumber"]?.stringValue == code.map { String(format: "%02x", $0) }.joined())
      guard case .object(let hashed)? = json["hashed"] else {
        Issue.record("nothing is hashed")
        return
      }
      #expect(hashed.names == ["documentNumber", "mrz", "portrait"])
      let text = json.text
      #expect(!text.contains(read.report.document.documentNumber) && json["encrypted"] == nil)

      let other = try RecordPolicy([.documentNumber: .hash], hashKey: SecretBytes([UInt8](repeating: 6, count: 32)))
      #expect(try Self.json(ReadRecord(read, policy: other))["hashed"] != json["hashed"])
    }

    @Test(
      "encrypted fields are decrypted by openssl",
      arguments: [["-newkey", "rsa:2048"], ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"]])
    func encrypted(_ key: [String]) async throws {
      let read = try await RecordExamples.finished()
      let recipient = try await RecordRecipient(key: key)
      let policy = try RecordPolicy(
        [.documentNumber: .encrypt, .report: .encrypt, .portrait: .encrypt], recipients: recipient.recipients)
      let record = try ReadRecord(read, policy: policy)
      let json = try Self.json(record)
      #expect(!json.text.contains(read.report.document.documentNumber) && json["document"] == nil)
      let envelope = try #require(json["encrypted"]?.stringValue.flatMap { Data(base64Encoded: $0) })
      let content = try await recipient.decrypt(Array(envelope))
      let fields = try JSONValue(text: String(decoding: content, as: UTF8.self))
      #expect(fields["documentNumber"]?.stringValue == read.report.document.documentNumber)
      #expect(fields["report"]?.stringValue == (try read.report.json()))
      let portrait = try #require(fields["portrait"]?.stringValue.flatMap { Data(base64Encoded: $0) })
      #expect(Array(portrait) == read.dump.portrait?.data)
    }

    @Test("a field over the limit is left out and named")
    func leftOut() async throws {
      var read = try await RecordExamples.finished()
      let files: [(file: ElementaryFile, bytes: [UInt8])] = try [
        (.dg1, #require(read.dump[.dg1])), (.dg2, Self.largePortrait(#require(read.dump[.dg2]))),
      ]
      read.dump = DocumentDump(files: files)
      let portrait = try #require(read.dump.portrait)
      let json = try Self.json(ReadRecord(read, policy: RecordPolicy([.portrait: .keep])))
      #expect(json["document"] == nil)
      #expect(json["leftOut"] == ["portrait": .integer(Int64((portrait.data.count + 2) / 3 * 4))])
      #expect(json.text.utf8.count < 4096)
    }

    /// DG2 whose image is longer: the lengths of all that contain it grow with it.
    private static func largePortrait(_ group: [UInt8]) throws -> [UInt8] {
      // The image is at the end of the innermost object.
      let start = try #require(
        group.indices.dropLast(4).first { Array(group[$0..<($0 + 4)]) == Array("FAC\u{0}".utf8) })
      let block = Array(group[start...]) + [UInt8](repeating: 0, count: 160 << 10)
      func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
      var face = block
      face.replaceSubrange(8..<12, with: number(block.count))
      face.replaceSubrange(14..<18, with: number(block.count - 14))
      func object(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] { tag + [0x84] + number(content.count) + content }
      // Doc 9303-10, 4.7.2: 75 { 7F61 { 02 the number, 7F60 { A1 the header, 5F2E the block } } }
      let header = object([0xA1], [0x87, 2, 1, 1, 0x88, 2, 0, 8])
      return object(
        [0x75], object([0x7F, 0x61], [2, 1, 1] + object([0x7F, 0x60], header + object([0x5F, 0x2E], face))))
    }

    @Test("records of two attempts agree, and records of other verdicts or documents do not")
    func agreement() async throws {
      let recipient = try await RecordRecipient()
      let policies = [
        RecordPolicy(),
        try RecordPolicy([.mrz: .keep, .report: .keep]),
        try RecordPolicy([.mrz: .hash], hashKey: SecretBytes([UInt8](repeating: 5, count: 32))),
        // Nothing but the tag tells whether these are of one document.
        try RecordPolicy([.mrz: .encrypt, .report: .encrypt, .dump: .encrypt], recipients: recipient.recipients),
      ]
      let first = try await RecordExamples.finished()
      var again = try await RecordExamples.finished(inspector: "xxxxxxxxxxxxxxxxxxxxxx")
      // New certificates were published in between.
      again.trustVersion = 8
      let otherVerdict = try await RecordExamples.finished(trust: false)
      let otherDocument = try await RecordExamples.finished(of: LabDocument(.bac))
      #expect(otherDocument.report.outcome == first.report.outcome)
      for policy in policies {
        let record = try ReadRecord(first, policy: policy)
        #expect(record.agrees(with: record.payload))
        #expect(record.agrees(with: try ReadRecord(again, policy: policy).payload))
        #expect(!record.agrees(with: try ReadRecord(otherVerdict, policy: policy).payload))
        #expect(!record.agrees(with: try ReadRecord(otherDocument, policy: policy).payload))
        #expect(try record.messageID != ReadRecord(again, policy: policy).messageID)
        for bytes in [[], Array("{}".utf8), [0xFF], Array(String(repeating: "[", count: 100_000).utf8)] {
          #expect(!record.agrees(with: bytes))
        }
      }
    }

    @Test(
      "a record of the same document agrees for ten minutes only, in both directions",
      arguments: [(0, true), (600, true), (-600, true), (601, false), (-601, false), (86_400, false)])
    func time(_ seconds: Double, _ agrees: Bool) async throws {
      let time = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded())
      let first = try await RecordExamples.finished(at: time)
      let later = try await RecordExamples.finished(inspector: "xxxxxxxxxxxxxxxxxxxxxx", at: time + seconds)
      #expect(first.report.checks.map(\.status) == later.report.checks.map(\.status))
      let record = try ReadRecord(first, policy: RecordPolicy())
      #expect(record.agrees(with: try ReadRecord(later, policy: RecordPolicy()).payload) == agrees)
    }

    @Test("records whose times or documents are not stated do not agree", arguments: ["time", "documentTag"])
    func incomparable(_ name: String) async throws {
      let record = try await RecordExamples.record()
      guard case .object(var members) = try Self.json(record) else {
        Issue.record("not an object")
        return
      }
      for (value, inspector) in [(JSONValue.null, "x"), (.integer(5), "y")] {
        members[name] = value
        // Equal bytes are the same record.
        members["inspector"] = .string(inspector)
        let first = Self.record(members, record)
        members["inspector"] = "z"
        #expect(!first.agrees(with: Self.record(members, record).payload))
      }
    }

    private static func record(_ members: JSONObject, _ record: ReadRecord) -> ReadRecord {
      ReadRecord(
        desk: record.desk, readID: record.readID, payload: Array(JSONValue.object(members).text.utf8), dump: nil)
    }

    @Test("the dump is a file that can be verified, in parts with a digest")
    func dump() async throws {
      let read = try await RecordExamples.finished()
      let record = try ReadRecord(read, policy: RecordPolicy([.dump: .keep]))
      let dump = try #require(record.dump)
      let member = try #require(try Self.json(record)["dump"])
      #expect(member["form"] == "tessera" && member["bytes"] == .integer(Int64(dump.content.count)))
      #expect(member["identifier"]?.stringValue == dump.identifier.text && member["parts"] == 1)
      let digest = try HashAlgorithm.sha256.digest(of: dump.parts.flatMap { $0 })
      #expect(member["sha256"]?.stringValue == digest.map { String(format: "%02x", $0) }.joined())
      try Self.verify(dump.content, read)

      let recipient = try await RecordRecipient()
      let policy = try RecordPolicy([.dump: .encrypt], recipients: recipient.recipients)
      let encrypted = try ReadRecord(read, policy: policy)
      #expect(try Self.json(encrypted)["dump"]?["form"] == "cms")
      try Self.verify(try await recipient.decrypt(#require(encrypted.dump).content), read)
    }

    private static func verify(_ archive: [UInt8], _ read: FinishedRead) throws {
      let folder = try TemporaryFolder()
      try Data(archive).write(to: URL(fileURLWithPath: folder.file("read.tessera")))
      let saved = try SavedDump.load(path: folder.file("read.tessera"))
      #expect(saved.modifiedFiles.isEmpty && saved.dump.files.map(\.bytes) == read.dump.files.map(\.bytes))
      #expect(try saved.report().document.documentNumber == read.report.document.documentNumber)
    }

    @Test("a dump over the limit is left out and named")
    func largeDump() async throws {
      var read = try await RecordExamples.finished()
      let group = try #require(ElementaryFile.all.first { $0.name == "DG13" && read.dump[$0] == nil })
      // It cannot be compressed.
      read.dump = DocumentDump(files: read.dump.files + [(group, try RandomBytes.make(RecordDump.maximumSize))])
      let record = try ReadRecord(read, policy: RecordPolicy([.dump: .keep]))
      #expect(record.dump == nil)
      #expect(try Self.json(record)["dump"]?["leftOut"] == "tooLarge")
    }
  }
}
