import SmartCard
import TestSupport
import Testing

@testable import Passport
@testable import VirtualChip

/// Each fault of a chip ends in its own check, its own finding or its own error.
@Suite("Reading every faulty profile of the chip")
struct FaultTableTests {
  /// The errors behind the table's words.
  static let errors: [String: PassportError] = [
    "fault-token": .pace(.wrongToken),
    "fault-point": .pace(.invalidElement(.mapping, .notInGroup)),
    "fault-infinity": .pace(.invalidElement(.mapping, .identity)),
    "fault-zero": .pace(.invalidElement(.mapping, .notInGroup)),
    "fault-echo": .pace(.reflectedKey(.mapping)),
    "fault-echo-agreement": .pace(.reflectedKey(.agreement)),
    "fault-blocked": .pace(.passwordBlocked(StatusWord(0x63C0))),
  ]

  @Test("the table has every faulty profile, once")
  func names() {
    #expect(FaultRow.all.map(\.name).sorted() == ChipProfile.faulty.map(\.name).sorted())
  }

  @Test("checks, findings, errors", arguments: FaultRow.all)
  func fault(_ row: FaultRow) async throws {
    let profile = try #require(ChipProfile(named: row.name))
    let files = try SpecimenDocument(profile: profile).files
    let key = try row.cardAccessNumber.map { try AccessKey(cardAccessNumber: $0) }
    let (result, channel) = try await Reads.read(files, profile: profile) { if let key { $0.key = key } }
    switch row.outcome {
    case .error(let status, let words):
      let expected = try #require(Self.errors[row.name])
      #expect(throws: expected) { try result.get() }
      #expect(expected.failure.kind.exitStatus == status && expected.failure.cause.contains(words))
      // Nothing was read but EF.CardAccess, which is open to everybody.
      #expect(await channel.commands.allSatisfy { [0x22, 0x86].contains($0[1]) || $0[1] == 0xB0 && $0[0] == 0 })
    case .report(let failed, let findings, let missing):
      let dump = try result.get()
      let report = try Report(dump)
      #expect(report.failedChecks.map(\.id.rawValue) == failed, "\(report.failedChecks)")
      #expect(report.findings.map(\.id.rawValue) == findings)
      #expect(report.omissions.map(\.name) == missing && report.checks.allSatisfy { $0.status != .unsupported })
      // Whatever else the chip has was read.
      for file in files.all where !missing.contains(file.name) { #expect(dump[file] == files[file], "\(file.name)") }
    }
  }

  @Test("a lying length and an endless file are told apart, and the read ends soon")
  func lengths() async throws {
    for (name, words) in [("length", "ended after"), ("endless", "claims a length of 2147483653 bytes")] {
      let profile = try #require(ChipProfile(named: "fault-" + name))
      let files = try SpecimenDocument(profile: profile).files
      let dump = try await Reads.read(files, profile: profile).dump.get()
      #expect(dump.omissions.first?.reason.contains(words) == true, "\(dump.omissions)")
      #expect(dump.statistics.exchanges < 40)
    }
  }

  @Test("extended length that is refused is not asked for again and again")
  func extended() async throws {
    let profile = try #require(ChipProfile(named: "fault-extended"))
    let files = try SpecimenDocument(profile: profile).files
    let (result, channel) = try await Reads.read(files, profile: profile)
    #expect(try result.get().dataGroups.count == 3)
    // Header, then 00 and two bytes of length.
    let extended = await channel.commands.filter { $0.count > 6 && $0[4] == 0 }
    #expect(extended.count == 1)
  }
}
