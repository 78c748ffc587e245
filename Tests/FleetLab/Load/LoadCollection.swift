internal import TesseraFleet
internal import TesseraPassport
internal import TesseraVerification
package import TesseraVirtualChip

/// One specimen of each profile, and what their countries publish together.
package struct LoadCollection: Sendable {
  package let documents: [LabDocument]
  package let trust: LoadTrust

  package init(_ profiles: [ChipProfile] = ChipProfile.all) throws {
    documents = try profiles.map(LabDocument.init)
    trust = try LoadTrust(documents)
  }

  /// The result of a read at this machine with the same certificates: the right one.
  package func localResult(of document: LabDocument) async throws -> LoadResult {
    let request = try LabDocument.request()
    do {
      let dump = try await document.source.withCard { try await Inspection.read($0, request) }
      let report = try Report(dump, trust: trust.material)
      return LoadResult(report.outcome, report.outcomeReason)
    } catch  where FleetError(error).code == .readFailed {
      return LoadResult(error)
    }
  }

  /// The right result of each profile, by its name.
  package func localResults() async throws -> [String: LoadResult] {
    var results: [String: LoadResult] = [:]
    for document in documents { results[document.profile.name] = try await localResult(of: document) }
    return results
  }
}
