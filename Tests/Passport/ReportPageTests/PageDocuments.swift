import Foundation
import TesseraPassport
import TesseraReaders
import TesseraReportPage
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

/// The documents whose pages are looked at.
enum PageDocument: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case specimen = "bac"
  case everyGroup = "every-group"
  case clone = "fault-clone"
  case jpeg2000 = "jpeg-2000"
  /// A failed proof of the chip, every group, and a complete chain: as much as a page can have.
  case crowded
  /// Every group, a complete chain, and the outcome `genuine`.
  case genuine

  var testDescription: String { rawValue }

  /// The documents that are drawn: the one with the least on its page, the one with the most, and the one with the widest
  /// outcome. The others have parts of these pages, and a picture in another format.
  static let drawn = Sweep.rows(allCases) { [.specimen, .crowded, .genuine].contains($0) }

  func page() async throws -> ReportPage {
    let dump: DocumentDump
    switch self {
    case .specimen: dump = try await Self.read(.bac, try SpecimenDocument(profile: .bac).files)
    case .everyGroup: dump = try await Self.read(.bac, try SpecimenDocument.withEveryGroup().files)
    case .clone:
      let profile = ChipProfile(named: "fault-clone") ?? .bac
      dump = try await Self.read(profile, try SpecimenDocument(profile: profile).files)
    case .crowded:
      let profile = ChipProfile(named: "fault-clone") ?? .bac
      dump = try await Self.read(
        profile, try SpecimenDocument(adding: SpecimenDocument.everyGroup(), profile: profile).files)
    case .jpeg2000:
      let face = FacialImage(data: SpecimenDocument.smallPortrait, width: 207, height: 266)
      dump = try await Self.read(.bac, try Self.document([2: DataGroup2(faces: [face]).encoded]).files)
    case .genuine:
      let profile = ChipProfile(named: "germany-2023") ?? .bac
      dump = try await Self.read(
        profile, try SpecimenDocument(adding: SpecimenDocument.everyGroup(), profile: profile).files)
    }
    let report = try Report(dump, at: Self.date)
    let shown =
      switch self {
      case .genuine: try Self.genuine(report)
      case .crowded: try Self.changed(Self.genuine(report)) { $0["outcome"] = "notGenuine" }
      default: report
      }
    return ReportPage(shown, dump, software: "tessera 1.0.0")
  }

  static let date = Date(timeIntervalSince1970: 1_790_000_000)

  /// The built-in document with other data groups.
  static func document(_ groups: [Int: [UInt8]]) throws -> SpecimenDocument {
    let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
    return try SpecimenDocument(groups: groups.merging([1: DataGroup1(zone: zone).encoded]) { first, _ in first })
  }

  static func read(_ profile: ChipProfile, _ files: ChipFiles) async throws -> DocumentDump {
    let key = files.mrzInformation.map(AccessKey.mrz)
    return try await CardSource.virtual(profile, files).withCard { card in
      try await Inspection.read(card, InspectionRequest(key: key))
    }
  }

  /// The report with the outcome `genuine`, passed checks of trust, and a chain over a link certificate.
  static func genuine(_ report: Report) throws -> Report {
    let details = [
      "passive.chain": "The document signer leads to the country signer C=UT,O=Tessera specimen,CN=CSCA Utopia 1.",
      "passive.validity": "All certificates were valid when the document was issued, and they are valid now.",
    ]
    return try changed(report) { object in
      object["outcome"] = "genuine"
      object["readAt"] = "2026-09-21T13:31:07Z"
      object["chain"] = chain
      object["checks"] = (object["checks"] as? [[String: Any]] ?? []).map { check in
        guard let detail = details[check["id"] as? String ?? ""] else { return check }
        return check.merging(["status": "passed", "detail": detail]) { $1 }
      }
    }
  }

  /// A report whose JSON was changed.
  static func changed(_ report: Report, _ change: (inout [String: Any]) -> Void) throws -> Report {
    var object = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any] ?? [:]
    change(&object)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(Report.self, from: try JSONSerialization.data(withJSONObject: object))
  }

  private static var chain: [[String: Any]] {
    [
      certificate(
        "documentSigner", "Document Signer 1", by: "CSCA Utopia 2", "EC secp256r1", "SHA256withECDSA", "EF.SOD"),
      certificate(
        "link", "CSCA Utopia 2", by: "CSCA Utopia 1", "EC brainpoolP384r1", "SHA384withECDSA", "UT_ML_2026-05.ml"),
      certificate("countrySigner", "CSCA Utopia 1", by: "CSCA Utopia 1", "RSA 4096", "RSASSA-PSS", "UT_ML_2026-05.ml"),
    ]
  }

  private static func certificate(
    _ role: String, _ name: String, by issuer: String, _ key: String, _ algorithm: String, _ source: String
  ) -> [String: Any] {
    [
      "role": role, "country": "UT", "subject": "C=UT,O=Tessera specimen,CN=\(name)",
      "issuer": "C=UT,O=Tessera specimen,CN=\(issuer)", "serialNumber": "5a3f0011c2",
      "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      "notBefore": "2025-01-01T00:00:00Z", "notAfter": "2036-01-01T00:00:00Z", "key": key,
      "signatureAlgorithm": algorithm, "source": source,
    ]
  }
}
