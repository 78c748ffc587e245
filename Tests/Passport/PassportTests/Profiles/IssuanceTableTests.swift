import PassportTestSupport
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

  @Test(
    "the first line has the reason",
    arguments: [
      ("no-crl", "Genuine, by test; revocation not checked."),
      ("wrong-hash", "NOT GENUINE: the data are not as the issuing country signed them; CHECK FAILED: passive.hashes."),
      (
        "unknown-csca",
        "CHECK FAILED: passive.chain; authenticity is not established, since no country certificate leads to the "
          + "document signer."
      ),
      (
        "no-key-usage",
        "CHECK FAILED: passive.chain; authenticity is not established, since the document signer is not accepted."
      ),
      (
        "expired-signer",
        "CHECK FAILED: passive.validity; authenticity is not established, since the certificate of the signer is not "
          + "valid."
      ),
    ])
  func headline(_ name: String, _ line: String) async throws {
    #expect(try await ProfileRead.of("trust-" + name).report.headline == line)
  }

  @Test("reads every file, and judges the document as the table says", arguments: IssuanceRow.all)
  func read(_ row: IssuanceRow) async throws {
    let read = try await ProfileRead.of(row.name)
    let (dump, report) = (try read.dump, try read.report)
    try ProfileReadTests.expectFiles(dump, read.files, read.profile)
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
    #expect((report.outcomeReason == nil) == (report.outcome == .genuine))
    // Without certificates, nothing is established, whatever the document.
    #expect(try Report(dump).outcome != .genuine)
  }
}
