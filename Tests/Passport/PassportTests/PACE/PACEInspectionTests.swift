import ChipTestSupport
import TesseraCryptography
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

@Suite("A read with PACE")
struct PACEInspectionTests {
  static let info = SecurityInfoBytes.pace(2, 2, 13)

  static func read(
    _ chip: MirrorChip, _ key: AccessKey, _ change: (inout InspectionRequest) -> Void = { _ in }
  ) async throws -> DocumentDump {
    var request = InspectionRequest(key: key)
    change(&request)
    return try await Inspection.read(Card(channel: chip, readerName: "test"), request)
  }

  @Test("performs PACE before SELECT, Chip Authentication after DG14, and reads every file")
  func complete() async throws {
    let document = try PACEDocument()
    let chip = try document.chip()
    let dump = try await Self.read(chip, document.key)
    #expect(dump.accessProtocol == .pace)
    #expect(dump.files.count == document.files.count + 1)
    for (file, bytes) in dump.files where file != .cardAccess { #expect(document.files[file] == bytes, "\(file.name)") }
    let report = try Report(dump)
    #expect(report.accessControl.protocol == "PACE" && report.accessControl.mapping == "GM")
    #expect(report.accessControl.oid == "0.4.0.127.0.7.2.2.4.2.2" && report.accessControl.cipher == "AES-128")
    #expect(report.accessControl.parameterId == 13)
    #expect(report.accessControl.reason?.contains("the only supported offer") == true)
    #expect(report[.chipAuthentication]?.status == .passed, "\(report[.chipAuthentication]?.detail ?? "")")
    #expect(report.isSound && report.findings.isEmpty, "\(report.headline)")
    let commands = await chip.commands
    // EF.CardAccess, MSE, four steps of PACE, then SELECT; nothing in plain after the last step of PACE.
    #expect(commands.prefix(6).map { $0[1] } == [0xB0, 0x22, 0x86, 0x86, 0x86, 0x86])
    #expect(commands[6].prefix(4) == [0x0C, 0xA4, 0x04, 0x0C])
    #expect(commands.dropFirst(6).allSatisfy { $0[0] & 0x0C == 0x0C })
    #expect(dump.statistics.exchanges == commands.count)
    // 7 for access control, one for each 223 bytes of a file, 2 for Chip Authentication, and one for a DG15 that no
    // list names.
    let blocks = document.files.values.reduce(0) { $0 + ($1.count + 222) / 223 }
    #expect(commands.count == 7 + blocks + 2 + 1)

    // The evidence can be verified again, also from its JSON text.
    let again = try ChipEvidence(json: #require(try dump.evidence.json()))
    #expect(again == dump.evidence)
    let copy = DocumentDump(files: dump.files, evidence: again)
    #expect(try Report(copy)[.chipAuthentication]?.status == .passed)
    #expect(try Report(copy)[.passiveHashes] == Report(dump)[.passiveHashes])
  }

  @Test("reports a copy without the private key and reads its files")
  func clone() async throws {
    let document = try PACEDocument()
    let chip = try document.chip(.otherChipKey)
    let dump = try await Self.read(chip, document.key)
    #expect(dump.files.count == document.files.count + 1)
    let report = try Report(dump)
    #expect(report[.chipAuthentication]?.status == .failed)
    #expect(report[.chipAuthentication]?.detail.contains("not the original") == true)
    #expect(report[.passiveHashes]?.status == .passed)
    #expect(report.failedChecks.map(\.id) == [.chipAuthentication])
  }

  @Test("fails the check of a chip that offers Chip Authentication and refuses it")
  func refusal() async throws {
    let document = try PACEDocument()
    let dump = try await Self.read(document.chip(hasChipKey: false), document.key)
    #expect(dump.files.count == document.files.count + 1)
    #expect(try Report(dump)[.chipAuthentication]?.detail == "The chip refused Chip Authentication (status 6D00).")
  }

  @Test("skips Chip Authentication on request, or if DG14 is not requested")
  func skipped() async throws {
    let document = try PACEDocument()
    let dump = try await Self.read(document.chip(), document.key) { $0.chipAuthentication = .never }
    #expect(try Report(dump)[.chipAuthentication]?.status == .skipped)
    #expect(dump[.dg14] != nil)
    let some = try await Self.read(document.chip(), document.key) { $0.dataGroups = [1] }
    #expect(try Report(some)[.chipAuthentication]?.status == .skipped)
    let asked = try await Self.read(document.chip(), document.key) {
      $0.dataGroups = [1]
      $0.chipAuthentication = .always
    }
    #expect(try Report(asked)[.chipAuthentication]?.status == .passed)
    #expect(asked.files.map(\.file.name).sorted() == ["DG1", "DG14", "EF.COM", "EF.CardAccess", "EF.SOD"])
    // With DG14 alone, one more exchange obtains a response under the new keys.
    let only = try await Self.read(document.chip(), document.key) { $0.dataGroups = [1, 14] }
    #expect(try Report(only)[.chipAuthentication]?.status == .passed)
  }

  @Test("reports a wrong password and does not try it with Basic Access Control")
  func wrongPassword() async throws {
    let document = try PACEDocument()
    let chip = try document.chip()
    let other = try MRZInformation(documentNumber: "TS0264719", dateOfBirth: "900214", dateOfExpiry: "350630")
    await #expect(throws: PassportError.pace(.wrongPassword(triesLeft: nil, StatusWord(0x6300)))) {
      try await Self.read(chip, .mrz(other))
    }
    #expect(await chip.commands.contains { $0[1] == 0x82 || $0[1] == 0x84 } == false)
  }

  @Test("detects an EF.CardAccess that differs from DG14")
  func downgrade() async throws {
    let document = try PACEDocument(listing: [Self.info, SecurityInfoBytes.pace(2, 4, 13)])
    let dump = try await Self.read(document.chip(), document.key)
    let report = try Report(dump)
    #expect(report.findings.map(\.id) == [.accessDowngrade])
    #expect(
      report.findings.first?.detail
        == "EF.CardAccess lacks PACE ECDH-GM AES-256 with parameters 13, which DG14 lists; an attacker may have changed it."
    )
    #expect(!report.isSound && report.headline.hasPrefix("CHECK FAILED: access.downgrade;"))
    #expect(try report.json().contains("access.downgrade"))
    // Early documents have no signed copy, which is not a finding.
    let old = try PACEDocument(listing: [])
    #expect(try Report(try await Self.read(old.chip(), old.key)).findings.isEmpty)
    // An offer without a signed copy.
    var added = try PACEDocument(listing: [SecurityInfoBytes.pace(2, 4, 13)])
    added.master[.cardAccess] = BERTLV.encode(0x31, Self.info + SecurityInfoBytes.pace(2, 4, 13))
    var second = DocumentDump()
    second.add(.cardAccess, added.master[.cardAccess] ?? [])
    second.add(.dg14, added.files[.dg14] ?? [])
    #expect(
      AccessComparison(second).finding?.detail
        == "EF.CardAccess offers PACE ECDH-GM AES-128 with parameters 13, which DG14 does not list; an attacker may have changed it."
    )
    // Without DG14 the copy in EF.CardSecurity is compared.
    var signed = DocumentDump()
    signed.add(.cardAccess, SecurityInfosTests.file("tc_ecdh_ef_cardaccess"))
    signed.add(.cardSecurity, SecurityInfosTests.file("tc_ecdh_ef_cardsecurity"))
    #expect(AccessComparison(signed).finding == nil)
    var changed = DocumentDump()
    changed.add(.cardAccess, SecurityInfosTests.file("tc_dh_ef_cardaccess"))
    changed.add(.cardSecurity, SecurityInfosTests.file("tc_ecdh_ef_cardsecurity"))
    #expect(AccessComparison(changed).finding?.detail.contains("which EF.CardSecurity lists") == true)
    var kept = DocumentDump()
    kept.add(.dg14, added.files[.dg14] ?? [])
    #expect(AccessComparison(kept).finding?.id == .accessDowngrade)
    // Other programs do not keep the file. One that cannot be read was kept.
    kept.isOfOtherProgram = true
    #expect(AccessComparison(kept).finding == nil)
    kept.add(.cardAccess, [0x31, 0x05])
    #expect(AccessComparison(kept).finding?.id == .accessDowngrade)
  }
}
