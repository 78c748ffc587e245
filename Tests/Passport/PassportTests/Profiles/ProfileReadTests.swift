import ChipTestSupport
import PassportTestSupport
import TesseraSmartCard
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVirtualChip

/// Reads every profile of the virtual chip in this process. The chip shares no protocol code with the reader.
@Suite("Reading every profile of the virtual chip")
struct ProfileReadTests {
  @Test("lists every profile with valid certificates and without a fault once in the table")
  func names() {
    let others = ChipProfile.faulty + ChipProfile.issuances
    let sound = ChipProfile.all.filter { !others.contains($0) }
    #expect(ProfileRow.all.map(\.name).sorted() == sound.map(\.name).sorted())
    #expect(ProfileRow.checkNames == Check.ID.allCases.map(\.rawValue))
  }

  @Test(
    "reads every file byte for byte, with the access protocol and the check statuses of the table",
    arguments: ProfileRow.all)
  func read(_ row: ProfileRow) async throws {
    let read = try await ProfileRead.of(row.name)
    let (profile, dump, report) = (read.profile, try read.dump, try read.report)
    try Self.expectFiles(dump, read.files, profile)
    #expect(report.outcome == .genuine, "\(report.headline)")
    #expect(ProfileRow.Access(report.accessControl) == row.access)
    let checks = report.checks.map { ProfileRow.Check(id: $0.id.rawValue, status: $0.status.rawValue) }
    #expect(checks == row.checks, "\(report.checks.filter { $0.status == .failed || $0.status == .unsupported })")
    #expect(report.isSound && report.findings.isEmpty)
    // DG3 and DG4 need the certificates of a terminal.
    let closed = report.omissions.filter(\.isExpected).map(\.name)
    #expect(closed == (profile.supportsTerminalAuthentication ? ["DG3", "DG4"] : []))
    #expect(report.omissions.count == closed.count)

    #expect(read.commands.count == dump.statistics.exchanges)
    // After the first protected command, all commands are protected.
    let classes = read.commands.map { $0[0] & 0x0C }
    let first = classes.firstIndex(of: 0x0C) ?? classes.count
    #expect(classes[first...].allSatisfy { $0 == 0x0C })
    #expect((first == classes.count) == (row.access == .none))
  }

  /// Expects every file of the chip, byte for byte.
  static func expectFiles(_ dump: DocumentDump, _ files: ChipFiles, _ profile: ChipProfile) throws {
    let chip = try Chip(profile: profile, files: files)
    func served(_ file: ElementaryFile) -> [UInt8]? {
      if file == .cardAccess { return chip.masterFiles.first { $0.identifier == 0x011C }?.content }
      // The other files of the master file share names, but not the identifiers, with those of the application.
      let master = MasterFile.allCases.first { $0.name == file.name }
      return master.map { file in chip.masterFiles.first { $0.identifier == file.rawValue }?.content } ?? files[file]
    }
    for (file, bytes) in dump.files { #expect(bytes == served(file), "\(file.name)") }
    var expected = Set(files.all.filter { !$0.needsTerminalAuthentication }.map(\.name))
    if !profile.pace.isEmpty { expected.insert("EF.CardAccess") }
    if dump.pace?.pace.mapping == .chipAuthentication { expected.insert("EF.CardSecurity") }
    // EF.ATR/INFO and EF.DIR may have been read too.
    let names = dump.files.map(\.file.name).filter { $0 != "EF.ATR/INFO" && $0 != "EF.DIR" }
    #expect(Set(names) == expected && names.count == expected.count)
  }

  @Test("reads without PACE if the document also has Basic Access Control", arguments: ProfileRow.all)
  func basicAccess(_ row: ProfileRow) async throws {
    let profile = try #require(ChipProfile(named: row.name))
    guard !profile.pace.isEmpty else { return }
    let files = try SpecimenDocument(profile: profile).files
    let (result, _) = try await Reads.read(files, profile: profile) { $0.skipsPACE = true }
    guard profile.requiresBasicAccessControl else {
      #expect(throws: PassportError.accessControlUnsupported) { try result.get() }
      return
    }
    let dump = try result.get()
    try Self.expectFiles(dump, files, profile)
    let report = try Report(dump)
    #expect(ProfileRow.Access(report.accessControl) == .bac)
    #expect(report.isSound && report.omissions.allSatisfy(\.isExpected))
    // Chip and Active Authentication do not depend on the access protocol; Chip Authentication Mapping does.
    for id in [Check.ID.chipAuthentication, .activeAuthentication] {
      #expect((report[id]?.status == .passed) == row.proofs.contains(id.rawValue))
    }
    #expect(report[.paceChipAuthentication]?.status == .skipped)
  }

  @Test("reads with the card access number", arguments: ProfileRow.all.filter { $0.access.protocol == "PACE" })
  func cardAccessNumber(_ row: ProfileRow) async throws {
    let profile = try #require(ChipProfile(named: row.name))
    let document = try SpecimenDocument(profile: profile)
    let files = document.files
    let key = try AccessKey(cardAccessNumber: #require(profile.cardAccessNumber))
    let (result, _) = try await Reads.read(files, profile: profile) { $0.key = key }
    let dump = try result.get()
    try Self.expectFiles(dump, files, profile)
    let report = try Report(dump, trust: TrustMaterial(of: document))
    #expect(ProfileRow.Access(report.accessControl) == row.access)
    for check in report.checks {
      let expected = row.checks.first { $0.id == check.id.rawValue }?.status
      #expect(check.status.rawValue == (check.id == .mrzMatchesKey ? "skipped" : expected), "\(check)")
    }
  }

  @Test("reads a document with every data group after PACE and Chip Authentication")
  func everyGroup() async throws {
    let profile = try #require(ChipProfile(named: "germany-2023"))
    let files = try SpecimenDocument(adding: SpecimenDocument.everyGroup(), profile: profile).files
    let dump = try await Reads.read(files, profile: profile).dump.get()
    try Self.expectFiles(dump, files, profile)
    #expect(dump.dataGroups.count == files.all.count - 4, "all but EF.COM, EF.SOD, DG3 and DG4")
    #expect(try Report(dump).isSound)
  }
}

extension ProfileRow.Access {
  init(_ access: Report.AccessControl) {
    self.init(
      protocol: access.protocol, oid: access.oid, mapping: access.mapping, cipher: access.cipher,
      parameterId: access.parameterId)
  }
}
