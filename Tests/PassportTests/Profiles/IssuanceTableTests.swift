import TesseraVerification
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVirtualChip

/// Documents that differ in their certificates and signatures are read completely.
@Suite("Reading every profile with other certificates or signatures")
struct IssuanceTableTests {
  @Test("lists every such profile once in the table")
  func names() {
    #expect(IssuanceRow.all.map(\.name).sorted() == ChipProfile.issuances.map(\.name).sorted())
  }

  @Test("reads every file, and the checks of the table fail", arguments: IssuanceRow.all)
  func read(_ row: IssuanceRow) async throws {
    let profile = try #require(ChipProfile(named: row.name))
    let files = try SpecimenDocument(profile: profile).files
    let dump = try await Reads.read(files, profile: profile).dump.get()
    try ProfileReadTests.expectFiles(dump, files, profile)
    let report = try Report(dump)
    #expect(report.failedChecks.map(\.id.rawValue) == row.failed, "\(report.failedChecks)")
    #expect(report.findings.isEmpty && report.omissions.map(\.name) == row.missing)
  }
}
