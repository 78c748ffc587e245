import Foundation
import PassportTestSupport
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

/// What a program lists of a report that is not sound.
@Suite("The problems of a report")
struct ProblemTests {
  /// What the first line names after these words.
  private static func named(_ report: Report) -> [String] {
    guard let start = report.headline.firstRange(of: "CHECK FAILED: ")?.upperBound else { return [] }
    let names = report.headline[start...].prefix { $0 != ";" }
    return (names.hasSuffix(".") ? names.dropLast() : names).components(separatedBy: ", ")
  }

  @Test(
    "the problems are what the first line names, each with its reason, and none if the document is sound",
    arguments: [
      ("bac", []), ("trust-wrong-hash", ["passive.hashes"]),
      ("trust-missing-group", ["passive.hashes", "dataGroup.missing"]),
      ("trust-uncovered", ["passive.hashes", "dataGroup.notCovered"]),
    ] as [(String, [String])])
  func profiles(_ name: String, _ problems: [String]) async throws {
    let (dump, trust) = try #require(try await Dumps.judged(name))
    let report = try Report(dump, trust: trust)
    #expect(report.problems.map(\.name) == problems)
    #expect(Self.named(report) == problems)
    #expect(report.isSound == problems.isEmpty)
    let reasons = report.checks.map(\.detail) + report.findings.map(\.detail)
    for problem in report.problems {
      #expect(reasons.contains(problem.detail))
      #expect("\(problem)" == "\(problem.name): \(problem.detail)")
    }
  }

  @Test("a changed file of a dump is a problem, although no check failed")
  func modified() async throws {
    let (dump, trust) = try #require(try await Dumps.judged("bac"))
    let folder = try TemporaryFolder()
    try SavedDump(dump, report: nil).write(to: folder.file("dump"))
    let path = folder.file("dump/EF.COM.bin")
    var bytes = folder.bytes("dump/EF.COM.bin")
    // A digit of the version of Unicode, which nothing signs.
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x5F, 0x36]) }) + 3
    bytes[place] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let report = try SavedDump.load(path: folder.file("dump")).report(trust: trust)
    #expect(report.failedChecks.isEmpty && report.problems.map(\.name) == ["dump.modified"])
    #expect(Self.named(report) == ["dump.modified"] && !report.isSound)
    #expect("\(report.proofs)" == "[dumpModified]")
    #expect(report.outcomeReason.map { "\($0)" } == "dumpModified")
  }

  @Test("checks, findings, proofs and reasons are printed as their names and sentences")
  func descriptions() throws {
    #expect("\(Check(.passiveHashes, .failed, "DG2 differs."))" == "passive.hashes: failed. DG2 differs.")
    #expect("\(Proof(.dataGroupDiffers, dataGroups: [2, 11]))" == "dataGroupDiffers (DG2, DG11)")
    #expect("\(Proof(.chipAnswerWrong, check: .chipAuthentication))" == "chipAnswerWrong (chip.authentication)")
    #expect("\([OutcomeReason.unknownIssuer])" == "[unknownIssuer]")
    let finding = Report.Finding(id: .dumpModified, detail: "EF.COM was changed.")
    #expect("\([finding])" == "[dump.modified: EF.COM was changed.]")
  }
}
