import Foundation
import TesseraCore
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("The policy of records")
  struct RecordPolicyTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("policy.json") }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, _ name: String = "policy.json") throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    @Test("by default no field is kept in any form")
    func standard() {
      let policy = RecordPolicy()
      #expect(policy.treatments.isEmpty && policy.hashKey == nil && policy.recipients.isEmpty)
    }

    @Test("a file names treatments, a key and recipients, relative to its folder")
    func file() async throws {
      let recipient = try await RecordRecipient()
      try Data(recipient.folder.bytes("recipient.pem")).write(to: URL(fileURLWithPath: folder.file("auditor.pem")))
      try write(String(repeating: "k", count: 32), "record.key")
      try write(
        """
        {"version": 1, "fields": {"issuingState": "keep", "documentNumber": "hash", "portrait": "encrypt"},
         "hashKeyFile": "record.key", "recipientFiles": ["auditor.pem", "\(recipient.certificateFile)"]}
        """)
      let policy = try RecordPolicy(contentsOf: path)
      #expect(policy.treatments == [.issuingState: .keep, .documentNumber: .hash, .portrait: .encrypt])
      #expect(policy.hashKey == SecretBytes(Array(repeating: UInt8(ascii: "k"), count: 32)))
      #expect(
        policy.recipients == [
          try #require(try recipient.recipients.first), try #require(try recipient.recipients.first),
        ])
    }

    @Test(
      "an error names the member and the problem",
      arguments: [
        ("", nil, .notJSON), ("[]", nil, .notJSON), ("{", nil, .notJSON),
        ("{}", "version", .versionMissing),
        (#"{"version": 2, "later": 1}"#, "version", .unknownVersion),
        (#"{"version": 1, "field": {}}"#, "field", .unknownMember),
        (#"{"version": 1, "fields": []}"#, "fields", .notObject),
        (#"{"version": 1, "fields": {"surname": "keep"}}"#, "fields.surname", .unknownField),
        (#"{"version": 1, "fields": {"mrz": "drop"}}"#, "fields.mrz", .unknownTreatment),
        (#"{"version": 1, "fields": {"mrz": true}}"#, "fields.mrz", .unknownTreatment),
        (#"{"version": 1, "fields": {"mrz": "hash"}}"#, "fields.mrz", .hashKeyMissing),
        (#"{"version": 1, "fields": {"mrz": "encrypt"}}"#, "fields.mrz", .recipientsMissing),
        (#"{"version": 1, "fields": {"report": "hash"}}"#, "fields.report", .hashUseless),
        (#"{"version": 1, "fields": {"dump": "hash"}}"#, "fields.dump", .hashUseless),
        (#"{"version": 1, "hashKeyFile": 1}"#, "hashKeyFile", .notText),
        (#"{"version": 1, "hashKeyFile": "missing"}"#, "hashKeyFile", .unreadable(code: ENOENT)),
        (#"{"version": 1, "hashKeyFile": "."}"#, "hashKeyFile", .unreadable(code: EISDIR)),
        (#"{"version": 1, "hashKeyFile": "short.key"}"#, "hashKeyFile", .hashKeyLength),
        (#"{"version": 1, "hashKeyFile": "long.key"}"#, "hashKeyFile", .fileTooLarge(limit: 4096)),
        (#"{"version": 1, "recipientFiles": "a.pem"}"#, "recipientFiles", .notArray),
        (#"{"version": 1, "recipientFiles": [1]}"#, "recipientFiles[0]", .notText),
        (#"{"version": 1, "recipientFiles": ["missing"]}"#, "recipientFiles[0]", .unreadable(code: ENOENT)),
      ] as [(String, String?, RecordPolicyError.Problem)])
    func errors(_ text: String, _ member: String?, _ problem: RecordPolicyError.Problem) throws {
      try write(String(repeating: "k", count: 31), "short.key")
      try write(String(repeating: "k", count: 4097), "long.key")
      try write(text)
      #expect(throws: RecordPolicyError(file: path, member: member, problem)) { try RecordPolicy(contentsOf: path) }
      let failure = Failure(RecordPolicyError(file: path, member: member, problem))
      #expect(failure.cause.contains(path) && failure.remedy != nil)
      #expect(member.map(failure.cause.contains) ?? true)
    }

    @Test("a policy that is missing, too large or not UTF-8 is an error")
    func unreadable() throws {
      #expect(throws: RecordPolicyError(file: path, .unreadable(code: ENOENT))) { try RecordPolicy(contentsOf: path) }
      try write(String(repeating: " ", count: 65_537))
      #expect(throws: RecordPolicyError(file: path, .fileTooLarge(limit: 65_536))) {
        try RecordPolicy(contentsOf: path)
      }
      try Data([0x7B, 0xFF, 0x7D]).write(to: URL(fileURLWithPath: path))
      #expect(throws: RecordPolicyError(file: path, .notJSON)) { try RecordPolicy(contentsOf: path) }
    }

    @Test("a file without a certificate, and a certificate that is not for encryption, are no recipients")
    func certificates() async throws {
      try write("no certificate", "empty.pem")
      try write(#"{"version": 1, "recipientFiles": ["empty.pem"]}"#)
      var error = try #require(throws: RecordPolicyError.self) { try RecordPolicy(contentsOf: path) }
      #expect(error.member == "recipientFiles[0]")
      let signer = try await RecordRecipient(
        key: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-addext", "keyUsage=digitalSignature"])
      try write(#"{"version": 1, "recipientFiles": ["\#(signer.certificateFile)"]}"#)
      error = try #require(throws: RecordPolicyError.self) { try RecordPolicy(contentsOf: path) }
      #expect(error.member == "recipientFiles[0]" && error.failure.cause.contains("key usage"))
    }

    @Test("names from the file cannot control a terminal")
    func printable() throws {
      try write("{\"version\": 1, \"a\\u001b[2J\": 1}")
      let error = try #require(throws: RecordPolicyError.self) { try RecordPolicy(contentsOf: path) }
      #expect(error.member == "a [2J")
    }
  }
}
