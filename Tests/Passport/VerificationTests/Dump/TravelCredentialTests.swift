import PassportTestSupport
import TesseraVirtualChip
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

/// Digital travel credentials of passports whose chips have keys of their own.
@Suite("Digital travel credentials of documents with chip keys")
struct TravelCredentialTests {
  /// `DTCContentInfo` of these files.
  private static func credential(_ files: [(file: ElementaryFile, bytes: [UInt8])]) -> [UInt8] {
    func object(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      [tag, 0x83] + [16, 8, 0].map { UInt8(truncatingIfNeeded: content.count >> $0) } + content
    }
    let members = files.compactMap { file, bytes -> (Int, [UInt8])? in
      (file == .sod ? 0 : file.dataGroup).map { ($0, bytes) }
    }
    let data = members.sorted { $0.0 < $1.0 }.flatMap { object(0x80 | UInt8($0.0), $0.1) }
    return object(0x30, [2, 1, 1] + object(0x30, data))
  }

  @Test(
    "the chip's keys prove nothing in a file, and nobody asks for their proof",
    arguments: ["germany-2023", "malaysia-2023", "hong-kong-2025"])
  func chipKeys(_ name: String) async throws {
    let profile = try #require(ChipProfile(named: name))
    let document = try SpecimenDocument(profile: profile)
    let files = try await Dumps.read(document.files, profile).files
    let trust = TrustMaterial(of: document)
    let copied = try Report(
      DocumentDump(files: files.filter { $0.file == .sod || $0.file.dataGroup != nil }), trust: trust)
    #expect(copied.outcome == .notEstablished, "\(copied.headline)")
    let credential = try TravelCredential(Self.credential(files))
    #expect(credential.dump[.dg14] == files.first { $0.file == .dg14 }?.bytes)
    let report = try Report(credential.dump, trust: trust)
    // That EF.CardAccess is not there is no attack, either.
    #expect(report.outcome == .genuine, "\(report.headline) \(report.findings.map(\.detail))")
    #expect(report.findings.map(\.id) == [.credentialCopy])
    #expect(report.headline.contains("a copy, the passport itself was not seen"))
    // Who asks for an answer of the chip gets none.
    let asked = try Report(credential.dump, trust: trust, challenge: [UInt8](repeating: 1, count: 8))
    #expect(asked.outcome == .notEstablished && asked.outcomeReason == .challenge)
  }
}
