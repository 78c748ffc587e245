import TesseraPassport
import TesseraReaders
import TesseraVerification

/// A document that was read, and what is known of it.
public struct InspectedDocument: Sendable {
  /// What the chip delivered: the files, and how they were obtained.
  public let dump: DocumentDump
  /// The verdict is its `outcome`, the sentence for it its `headline`.
  public let report: Report

  /// Saves both, so that the document can be judged again without it, as `tessera passport read --out` does.
  ///
  /// - Parameter path: of a folder, or of a file whose name ends in `.tessera`. An older dump there is replaced.
  /// - Throws: `DumpError.link`, `.openToOthers`, `.notWritten`, `.unwritable`, `.archive`.
  public func save(to path: String) throws { try SavedDump(dump, report: report).write(to: path) }
}

extension CardSource {
  /// Reads the document and judges it, as `tessera passport read` does.
  ///
  /// - Parameters:
  ///   - request: the access key and the files to read.
  ///   - trust: what is known of countries; nil for the certificates that the user imported. They are loaded before a
  ///     document is waited for. For the specimen of the virtual chip: `SpecimenDocument.trust`.
  ///   - onProgress: receives each step of the read.
  ///   - onWaiting: Called once if there is no card yet.
  /// - Throws: `TrustError` if the imported certificates cannot be used; `CardError`, `PassportError` and
  ///   `CancellationError` as `withCard` and `Inspection.read`.
  public func inspect(
    _ request: InspectionRequest, trust: TrustMaterial? = nil,
    onProgress: @escaping Inspection.ProgressHandler = { _ in }, onWaiting: @escaping @Sendable () -> Void = {}
  ) async throws -> InspectedDocument {
    let trust = try trust ?? TrustStore().load()
    let dump = try await withCard(onWaiting: onWaiting) { card in
      try await Inspection.read(card, request, onProgress: onProgress)
    }
    return InspectedDocument(dump: dump, report: try Report(dump, trust: trust))
  }

  /// The former order of the closures.
  @available(*, deprecated, message: "Put onProgress before onWaiting.")
  public func inspect(
    _ request: InspectionRequest, trust: TrustMaterial? = nil, onWaiting: @escaping @Sendable () -> Void,
    onProgress: @escaping Inspection.ProgressHandler
  ) async throws -> InspectedDocument {
    try await inspect(request, trust: trust, onProgress: onProgress, onWaiting: onWaiting)
  }
}
