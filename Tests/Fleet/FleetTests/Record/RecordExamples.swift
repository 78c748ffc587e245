import FleetLab
import Foundation
import PassportTestSupport
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet

/// Finished reads of specimens, as an inspector records them.
enum RecordExamples {
  static let inspector = "iiiiiiiiiiiiiiiiiiiiii"

  static func readID(_ letter: Character = "r") throws -> FleetReadID {
    try #require(FleetReadID(String(repeating: letter, count: 22)))
  }

  /// One document for all reads, since the signatures of two have different lengths.
  private static let document = Result { try LabDocument(.bac) }

  /// - Throws: `PassportError` if the document cannot be read.
  static func finished(
    _ profile: ChipProfile = .bac, _ letter: Character = "r", inspector: String = inspector, trust: Bool = true,
    at time: Date? = nil, of other: LabDocument? = nil
  ) async throws -> FinishedRead {
    let document =
      try other ?? (profile.name == ChipProfile.bac.name ? Self.document.get() : LabDocument(profile))
    let request = try LabDocument.request()
    var dump = try await document.source.withCard { try await Inspection.read($0, request) }
    if let time { dump.readAt = time }
    let report = try Report(dump, trust: trust ? document.trust : TrustMaterial())
    return try finished(dump, report, letter, inspector)
  }

  /// The read of a profile that all tests share.
  ///
  /// - Throws: `PassportError` if the document cannot be read.
  static func shared(_ profile: ChipProfile) async throws -> FinishedRead {
    let read = try await ProfileRead.of(profile.name)
    return try finished(read.dump, read.report, "r", inspector)
  }

  private static func finished(
    _ dump: DocumentDump, _ report: Report, _ letter: Character, _ inspector: String
  ) throws -> FinishedRead {
    FinishedRead(
      readID: try readID(letter), desk: try #require(DeskName("desk-1")), mode: .witnessed, software: "0.1.0",
      report: report, dump: dump, trustVersion: 7, inspector: try #require(FleetIdentifier(inspector)))
  }

  /// The record of a read by the default policy.
  static func record(
    _ letter: Character = "r", inspector: String = inspector, trust: Bool = true, of document: LabDocument? = nil
  ) async throws -> ReadRecord {
    try ReadRecord(
      await finished(.bac, letter, inspector: inspector, trust: trust, of: document), policy: RecordPolicy())
  }
}
