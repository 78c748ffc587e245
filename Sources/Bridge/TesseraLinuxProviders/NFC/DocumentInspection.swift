import TesseraCore
import TesseraCryptography
import TesseraPassport
import TesseraReaders
import TesseraVerification

/// Reads and judges the document of a scan: at this machine, or with an inspector elsewhere.
package protocol DocumentInspection: Sendable {
  /// - Parameters:
  ///   - source: where the document is.
  ///   - request: the access key and what to read.
  ///   - onProgress: receives each step of the read.
  func inspect(
    _ source: CardSource, _ request: InspectionRequest, onProgress: @escaping @Sendable (InspectionProgress) -> Void
  ) async throws -> JudgedDocument
}

/// What was read, and what was found out about it.
package struct JudgedDocument: Sendable {
  @Indirect package private(set) var dump: DocumentDump
  @Indirect package private(set) var report: Report
  /// Certificates of document signers, for an EF.SOD without that of its own.
  package let documentSigners: [Certificate]

  package init(dump: DocumentDump, report: Report, documentSigners: [Certificate] = []) {
    _dump = Indirect(wrappedValue: dump)
    _report = Indirect(wrappedValue: report)
    self.documentSigners = documentSigners
  }
}

/// Reads and judges at this machine.
struct LocalInspection: DocumentInspection {
  /// What is known of countries.
  let trust: TrustMaterialSource

  func inspect(
    _ source: CardSource, _ request: InspectionRequest, onProgress: @escaping @Sendable (InspectionProgress) -> Void
  ) async throws -> JudgedDocument {
    let dump = try await source.withCard { try await Inspection.read($0, request, onProgress: onProgress) }
    let material = try trust.material()
    // Clients need both files. Without them there is no report either, and these errors say which is missing.
    _ = (try dump.machineReadableGroup(), try dump.securityObject())
    return JudgedDocument(
      dump: dump, report: try Report(dump, trust: material),
      documentSigners: material.documentSigners.map(\.certificate))
  }
}

/// Where a scan takes the country certificates from. They are loaded for each scan, so that an import takes effect in a
/// running service.
public struct TrustMaterialSource: Sendable {
  private let load: @Sendable () throws -> TrustMaterial

  public init(_ load: @escaping @Sendable () throws -> TrustMaterial) { self.load = load }

  /// What the user imported.
  public static let imported = TrustMaterialSource { try TrustStore().load() }

  /// These certificates.
  public static func fixed(_ material: TrustMaterial) -> TrustMaterialSource { TrustMaterialSource { material } }

  func material() throws -> TrustMaterial { try load() }
}
