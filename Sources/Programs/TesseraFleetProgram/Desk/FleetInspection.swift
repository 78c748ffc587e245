import TesseraCore
import TesseraFleet
import TesseraLinuxProviders
import TesseraPassport
import TesseraReaders

/// Reads the documents of a service's scans at this desk, for an inspector of the fleet.
struct FleetInspection: DocumentInspection {
  let desk: FleetDesk
  let mode: FleetReadingMode

  func inspect(
    _ source: CardSource, _ request: InspectionRequest, onProgress: @escaping @Sendable (InspectionProgress) -> Void
  ) async throws -> JudgedDocument {
    // The result of a scan is the document's data. A page that asked for it would never get any.
    guard mode == .witnessed else { throw Self.hasNoData }
    let reading = try await desk.read(source, request, mode: mode, onProgress: onProgress)
    guard let dump = reading.dump, let report = try reading.report() else { throw Self.hasNoData }
    return JudgedDocument(dump: dump, report: report)
  }

  private static let hasNoData = Failure(
    .serviceUnavailable, "This desk reads remotely: it has no data of a document that a page could receive.",
    remedy: "Serve with --fleet-reading witnessed, or read with tessera fleet read.")
}
