import TesseraPassport
import TesseraReaders
import TesseraVerification

/// A document that was read, and what is known of it.
public struct InspectedDocument: Sendable {
  public let dump: DocumentDump
  /// The verdict is its `outcome`, the sentence for it its `headline`.
  public let report: Report
}

extension CardSource {
  /// Reads the document and judges it, as `tessera passport read` does.
  ///
  /// - Parameters:
  ///   - request: the access key and the files to read.
  ///   - trust: what is known of countries; nil for the certificates that the user imported. They are loaded before a
  ///     document is waited for. For the specimen of the virtual chip: `SpecimenDocument.trust`.
  ///   - onWaiting: Called once if there is no card yet.
  ///   - onProgress: receives each step of the read.
  /// - Throws: `TrustError` if the imported certificates cannot be used; `CardError`, `PassportError` and
  ///   `CancellationError` as `withCard` and `Inspection.read`.
  public func inspect(
    _ request: InspectionRequest, trust: TrustMaterial? = nil, onWaiting: @escaping @Sendable () -> Void = {},
    onProgress: @escaping Inspection.ProgressHandler = { _ in }
  ) async throws -> InspectedDocument {
    let trust = try trust ?? TrustStore().load()
    let dump = try await withCard(onWaiting: onWaiting) { card in
      try await Inspection.read(card, request, onProgress: onProgress)
    }
    return InspectedDocument(dump: dump, report: try Report(dump, trust: trust))
  }
}
