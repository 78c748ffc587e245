import PassportTestSupport
import TesseraSmartCard
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVirtualChip

/// Each fault of a chip leads to a specific check, finding or error.
@Suite("Reading every faulty profile of the chip")
struct FaultTableTests {
  /// The errors by their names in the table.
  static let errors: [String: PassportError] = [
    "fault-token": .pace(.wrongToken),
    "fault-point": .pace(.invalidElement(.mapping, .notInGroup)),
    "fault-infinity": .pace(.invalidElement(.mapping, .identity)),
    "fault-zero": .pace(.invalidElement(.mapping, .notInGroup)),
    "fault-echo": .pace(.reflectedKey(.mapping)),
    "fault-echo-agreement": .pace(.reflectedKey(.agreement)),
    "fault-blocked": .pace(.passwordBlocked(StatusWord(0x63C0))),
  ]

  @Test("lists every faulty profile once in the table")
  func names() {
    #expect(FaultRow.all.map(\.name).sorted() == ChipProfile.faulty.map(\.name).sorted())
  }

  @Test("leads to the checks, findings and errors of the table", arguments: FaultRow.all)
  func fault(_ row: FaultRow) async throws {
    let read = try await ProfileRead.of(row.name, cardAccessNumber: row.cardAccessNumber)
    switch row.outcome {
    case .error(let kind, _, let words):
      let expected = try #require(Self.errors[row.name])
      #expect(throws: expected) { try read.dump }
      #expect(expected.failure.kind == kind && expected.failure.cause.contains(words))
      // Only EF.CardAccess was read, which needs no access control.
      #expect(read.commands.allSatisfy { [0x22, 0x86].contains($0[1]) || $0[1] == 0xB0 && $0[0] == 0 })
    case .report(let failed, let findings, let missing):
      let (files, dump, report) = (read.files, try read.dump, try read.report)
      // What the chip does not deliver is no proof against it.
      let isOpen = failed.isEmpty || findings.contains(Report.Finding.ID.dataGroupMissing.rawValue)
      #expect(report.outcome == (isOpen ? findings.isEmpty ? .genuine : .notEstablished : .notGenuine))
      #expect(report.failedChecks.map(\.id.rawValue) == failed, "\(report.failedChecks)")
      #expect(report.findings.map(\.id.rawValue) == findings)
      #expect(report.omissions.map(\.name) == missing && report.checks.allSatisfy { $0.status != .unsupported })
      // All other files of the chip were read.
      for file in files.all where !missing.contains(file.name) { #expect(dump[file] == files[file], "\(file.name)") }
    }
  }

  @Test("distinguishes a wrong length from an endless file, and ends the read soon")
  func lengths() async throws {
    for (name, words) in [("length", "ended after"), ("endless", "states a length of 2147483653 bytes")] {
      let dump = try await ProfileRead.of("fault-" + name).dump
      #expect(dump.omissions.first?.reason.contains(words) == true, "\(dump.omissions)")
      #expect(dump.statistics.exchanges < 40)
    }
  }

  @Test("does not repeat extended length that the chip refused")
  func extended() async throws {
    let read = try await ProfileRead.of("fault-extended")
    #expect(try read.dump.dataGroups.count == 3)
    // Header, then 00 and two bytes of length.
    let extended = read.commands.filter { $0.count > 6 && $0[4] == 0 }
    #expect(extended.count == 1)
  }
}
