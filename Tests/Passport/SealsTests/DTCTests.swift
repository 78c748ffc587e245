import Foundation
import TesseraCryptography
import TesseraPassport
import TestSupport
import Testing

@testable import TesseraVerification

/// Digital travel credentials from a file (ICAO TR "Digital Travel Credentials").
@Suite("Digital travel credentials")
struct DTCTests {
  static let vectors = SealVectors("dtc")

  /// The file of a vector, which may be another one with a change.
  static func bytes(_ vector: Vector) -> [UInt8] {
    guard !vector["der_base64"].isPresent else { return vector["der_base64"].base64 }
    var bytes = vectors.vector(vector["patch_of"].text)["der_base64"].base64
    let patch = vector["patch"]
    let start = patch["offset"].number
    bytes.replaceSubrange(start..<start + patch["remove"].number, with: patch["insert_hex"].bytes)
    return bytes
  }

  /// What is expected of a vector beside its outcome: the reason, or the error that the file gives.
  enum Expectation {
    case reason(OutcomeReason?)
    case error(TravelCredentialError)
  }

  static let expectations: [String: Expectation] = [
    "dtc-type1": .reason(nil), "dtc-dg11-absent": .reason(nil),
    "dtc-dg1-changed": .reason(.data), "dtc-dg2-changed": .reason(.data), "dtc-dg14-uncovered": .reason(.data),
    "dtc-sod-signature": .reason(.data),
    "dtc-no-dg2": .error(.missing(.dg2)), "dtc-no-sod": .reason(.signature),
    "dtc-version-2": .error(.unsupportedVersion), "dtc-duplicate": .error(.repeated(.dg1)),
    "dtc-trailing": .error(.trailingBytes), "dtc-truncated": .error(.malformed),
    "dtc-type2-unknown": .reason(.credentialSignature),
  ]

  @Test("every vector", arguments: vectors.all)
  func vector(_ vector: Vector) throws {
    let bytes = Self.bytes(vector)
    #expect(bytes.count == vector["length"].number)
    #expect(try HashAlgorithm.sha256.digest(of: bytes) == vector["sha256"].bytes)
    #expect(TravelCredential.isCredential(bytes))
    let expectation = try #require(Self.expectations[vector.id])
    switch expectation {
    case .error(let error):
      #expect(throws: error) { try TravelCredential(bytes) }
      #expect(vector["expect"]["outcome"].text == Outcome.notEstablished.rawValue)
    case .reason(let reason):
      let report = try Self.report(bytes, vector)
      #expect(report.outcome.rawValue == vector["expect"]["outcome"].text, "\(report.headline)")
      #expect(report.outcomeReason == reason)
      #expect(report.findings.contains { $0.id == .credentialCopy })
      let groups = vector["expect"]["data_groups"].list.map { "DG\($0.number)" }
      if !groups.isEmpty { #expect(report.files.map(\.name) == ["EF.SOD"] + groups) }
      let lines = vector["expect"]["mrz"].list.map(\.text)
      if !lines.isEmpty { #expect(report.document.mrz == lines.joined(separator: "\n")) }
    }
  }

  @Test("there is an expectation for each vector")
  func table() {
    #expect(Set(Self.vectors.all.map(\.id)) == Set(Self.expectations.keys))
  }

  static func report(_ bytes: [UInt8], _ vector: Vector) throws -> Report {
    try Report(TravelCredential(bytes).dump, trust: vectors.trust(for: vector), at: vectors.time(of: vector))
  }

  // MARK: - What the report says

  @Test("the report says that it is a copy, and names what is absent")
  func copy() throws {
    let report = try Self.report(named: "dtc-dg11-absent")
    #expect(report.credential == .passport)
    #expect(report.absentGroups == ["DG11"])
    #expect(report.isSound)
    #expect(
      report.headline
        == "Genuine, by the certificates of UT; a copy, the passport itself was not seen; DG11 was not there; "
        + "revocation not checked.")
    let detail = try #require(report.findings.first { $0.id == .credentialCopy }?.detail)
    #expect(detail.contains("is a copy") && detail.contains("the passport itself was not seen"))
    #expect(detail.contains("EF.SOD"))
    #expect(try report.json().contains(#""credential" : "passport""#))
  }

  @Test("a group that is not signed, in the credential's words")
  func uncovered() throws {
    let report = try Self.report(named: "dtc-dg14-uncovered")
    #expect(report.proofs.map(\.kind) == [.dataGroupNotSigned])
    #expect(
      report.findings.contains { $0.id == .dataGroupNotCovered && $0.detail.contains("which the credential has") })
  }

  @Test("the signature of the credential itself is not verified, and accuses nobody")
  func ownSignature() throws {
    let report = try Self.report(named: "dtc-type2-unknown")
    #expect(report.credential == .passportAndDevice)
    #expect(report[.passiveSignature]?.status == .passed)
    #expect(report.findings.contains { $0.id == .credentialSignature })
    #expect(report.isSound)
    #expect(report.headline.contains("the signature of the digital travel credential could not be verified"))
  }

  @Test("without EF.SOD, nothing proves it")
  func withoutSecurityObject() throws {
    let report = try Self.report(named: "dtc-no-sod")
    #expect(report.credential == .nothing)
    #expect(report[.passiveSignature]?.status == .skipped)
    #expect(report[.passiveSignature]?.detail.contains("The credential does not contain it.") == true)
  }

  @Test("a wrong signature of EF.SOD is wrong also in a credential of type 2")
  func wrongSignatureOfSecondType() throws {
    let vector = Self.vectors.vector("dtc-type2-unknown")
    var bytes = Self.bytes(vector)
    let sod = try #require(TravelCredential(bytes).files.first?.bytes)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: sod) })
    bytes[start + sod.count - 1] ^= 1
    #expect(try Self.report(bytes, vector).outcome == .notGenuine)
  }

  private static func report(named id: String) throws -> Report {
    let vector = vectors.vector(id)
    return try report(bytes(vector), vector)
  }

  @Test("types 2 and 3 are told by their parts")
  func types() throws {
    let files: [(UInt8, [UInt8])] = [(0x80, [0x77, 0]), (0x81, [0x61, 0]), (0x82, [0x75, 0])]
    func binding(_ data: [(UInt8, [UInt8])], _ behind: [UInt8]) throws -> CredentialBinding {
      try TravelCredential(Self.made(data, behind)).binding
    }
    #expect(try binding(files, []) == .passport)
    #expect(try binding(files + [(0xB7, [])], []) == .passport)
    #expect(try binding(files + [(0xB6, [])], []) == .passportAndDevice)
    #expect(try binding(files, [0xA0, 0]) == .passportAndDevice)
    #expect(try binding(Array(files.dropFirst()), [0xA0, 0, 0xA1, 0]) == .device)
    #expect(try binding(Array(files.dropFirst()), []) == .nothing)
  }

  /// A credential of these members of `DTCData`, which are shorter than 100 bytes together.
  private static func made(_ data: [(UInt8, [UInt8])], _ behind: [UInt8]) -> [UInt8] {
    let members = data.flatMap { [$0.0, UInt8($0.1.count)] + $0.1 }
    let content = [0x02, 0x01, 0x01, 0x30, UInt8(members.count)] + members + behind
    return [0x30, UInt8(content.count)] + content
  }

  // MARK: - From a file

  @Test("the file is verified like a dump")
  func file() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("dtc-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    func write(_ bytes: [UInt8]) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    let vector = Self.vectors.vector("dtc-type1")
    try write(Self.bytes(vector))
    #expect(try SavedDump.paths(in: path) == [path])
    let report = try SavedDump.load(path: path)
      .report(trust: Self.vectors.trust(for: vector), at: Self.vectors.time(of: vector))
    #expect(report.outcome == .genuine)
    #expect(report.credential == .passport)
    try write(Self.bytes(Self.vectors.vector("dtc-duplicate")))
    #expect(throws: DumpError.credential(.repeated(.dg1))) { try SavedDump.load(path: path) }
    try write(Array("no credential".utf8))
    #expect(throws: DumpError.notADump(path)) { try SavedDump.load(path: path) }
  }

  @Test("other files of ASN.1 are no credential")
  func otherFiles() throws {
    let certificate = Self.vectors.file["certificates"]["csca-ut-dtc"]["der_base64"].base64
    #expect(!TravelCredential.isCredential(certificate))
    // A key of RFC 5915 and one of RFC 5958 begin with a number, too.
    #expect(!TravelCredential.isCredential([0x30, 0x06, 0x02, 0x01, 0x01, 0x04, 0x01, 0x00]))
    #expect(!TravelCredential.isCredential([0x30, 0x07, 0x02, 0x01, 0x00, 0x30, 0x02, 0x06, 0x00]))
    for count in 0..<8 {
      #expect(!TravelCredential.isCredential(Array(Self.bytes(Self.vectors.vector("dtc-type1")).prefix(count))))
    }
  }

  // MARK: - Hostile files

  @Test("no changed byte gives another genuine document")
  func changedBytes() throws {
    let vector = Self.vectors.vector("dtc-type1")
    let original = Self.bytes(vector)
    let trust = try Self.vectors.trust(for: vector)
    let right = try TravelCredential(original)
    let signed = Set(right.files.filter { $0.file != .sod }.map { [UInt8($0.file.dataGroup ?? 0)] + $0.bytes })
    let chain = try Report(right.dump, trust: trust, at: Self.vectors.time(of: vector)).chain.map(\.sha256)
    #expect(chain.count == 2)
    var random = SystemRandomNumberGenerator()
    var unchanged = 0
    let sodEnd = 4 + 3 + 4 + 4 + (right.files.first?.bytes.count ?? 0)
    // All bytes up to the end of EF.SOD and of DG1, and as many of the rest as make 1,200.
    let places =
      Array(0..<sodEnd + 110)
      + (0..<1_200 - sodEnd - 110).map { _ in
        Int.random(in: sodEnd + 110..<original.count, using: &random)
      }
    #expect(places.count >= 1_000)
    for place in places {
      var bytes = original
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      guard let credential = try? TravelCredential(bytes) else { continue }
      guard let report = try? Report(credential.dump, trust: trust, at: Self.vectors.time(of: vector)) else { continue }
      guard report.outcome == .genuine else { continue }
      // Some parts of EF.SOD are not signed, such as its list of digest algorithms. What the country signed is the same.
      unchanged += 1
      let groups = Set(credential.files.filter { $0.file != .sod }.map { [UInt8($0.file.dataGroup ?? 0)] + $0.bytes })
      #expect(groups.isSubset(of: signed), "place \(place)")
      #expect(report.chain.map(\.sha256) == chain, "place \(place)")
      #expect(place > 11 && place < sodEnd, "place \(place)")
    }
    #expect(unchanged < places.count / 10)
  }

  @Test("each truncation is refused")
  func truncations() throws {
    let original = Self.bytes(Self.vectors.vector("dtc-type1"))
    for count in 0..<original.count {
      #expect(throws: TravelCredentialError.malformed) { try TravelCredential(Array(original.prefix(count))) }
    }
  }

  @Test(
    "hostile structures",
    arguments: [
      ("a length of 4 GB", [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 2, 1, 1]),
      ("an indefinite length", [0x30, 0x80, 2, 1, 1]),
      ("a length of five bytes", [0x30, 0x85, 0, 0, 0, 0, 3, 2, 1, 1]), ("no data", [0x30, 3, 2, 1, 1]),
      ("a member longer than the data", [0x30, 7, 2, 1, 1, 0x30, 2, 0x81, 9]),
      ("a constructed data group", [0x30, 7, 2, 1, 1, 0x30, 2, 0xA1, 0]),
      ("a member that is none", [0x30, 7, 2, 1, 1, 0x30, 2, 0x93, 0]),
      ("the second member first", [0x30, 9, 2, 1, 1, 0x30, 4, 0x82, 0, 0x81, 0]),
      ("an unknown part behind", [0x30, 13, 2, 1, 1, 0x30, 4, 0x81, 0, 0x82, 0, 0xA2, 0, 0xA2, 0]),
    ] as [(String, [UInt8])])
  func structures(_ name: String, _ bytes: [UInt8]) {
    #expect(throws: TravelCredentialError.malformed, "\(name)") { try TravelCredential(bytes) }
  }

  @Test("a file of more than 4 MB is refused, and so is a whole one of more than 64 MB")
  func sizes() {
    func object(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      [tag, 0x84] + withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0) } + content
    }
    let group = [UInt8](repeating: 0, count: SavedDump.maximumFileSize + 1)
    let bytes = object(0x30, [2, 1, 1] + object(0x30, object(0x81, group)))
    #expect(throws: TravelCredentialError.tooLarge) { try TravelCredential(bytes) }
    #expect(throws: TravelCredentialError.tooLarge) {
      try TravelCredential([UInt8](repeating: 0x30, count: TravelCredential.maximumSize + 1))
    }
  }
}
