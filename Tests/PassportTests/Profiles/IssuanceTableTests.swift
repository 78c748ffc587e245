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

  @Test("reads every file, and judges the document as the table says", arguments: IssuanceRow.all)
  func read(_ row: IssuanceRow) async throws {
    let profile = try #require(ChipProfile(named: row.name))
    let document = try SpecimenDocument(profile: profile)
    let dump = try await Reads.read(document.files, profile: profile).dump.get()
    try ProfileReadTests.expectFiles(dump, document.files, profile)
    let report = try Report(dump, trust: TrustMaterial(of: document))
    #expect(report.outcome.rawValue == row.outcome, "\(report.headline)")
    let chip: Set<String> = [
      "chip.authentication", "active.authentication", "pace.chipAuthentication", "terminal.authentication",
    ]
    let others = report.checks.filter { $0.status != .passed && !chip.contains($0.id.rawValue) }
    let statuses = others.map { ($0.id.rawValue, $0.status.rawValue) }
    #expect(Dictionary(uniqueKeysWithValues: statuses) == row.checks, "\(others)")
    #expect(report.findings.map(\.id.rawValue) == row.findings && report.omissions.map(\.name) == row.missing)
    if let (id, text) = row.detail {
      let detail = report.checks.first { $0.id.rawValue == id }?.detail
      #expect(detail?.contains(text) == true, "\(detail ?? "")")
    }
    // Without certificates, nothing is established, whatever the document.
    #expect(try Report(dump).outcome != .genuine)
  }
}
