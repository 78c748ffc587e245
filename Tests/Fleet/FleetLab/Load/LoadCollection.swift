package import TesseraFleet
internal import TesseraPassport
internal import TesseraVerification
package import TesseraVirtualChip

/// One specimen of each profile, and what their countries publish together.
package struct LoadCollection: Sendable {
  package let documents: [LoadDocument]
  package let trust: LoadTrust

  package init(_ profiles: [ChipProfile] = ChipProfile.all) throws {
    let issued = try profiles.map(LabDocument.init)
    documents = issued.map(LoadDocument.init)
    trust = try LoadTrust(issued)
  }

  /// Reads a document at this machine with the same certificates.
  ///
  /// - Returns: the right result of each way of reading.
  package func localResults(of document: LoadDocument) async throws -> [FleetReadingMode: LoadResult] {
    let request = try LabDocument.request()
    do {
      let dump = try await document.source.withCard { try await Inspection.read($0, request) }
      let report = try Report(dump, trust: trust.material)
      let local = LoadResult(report.outcome, report.outcomeReason)
      // A desk has the keys of PACE, so an inspector elsewhere does not count the proof of PACE's mapping.
      let proofs: [Check.ID] = [.chipAuthentication, .activeAuthentication]
      let onlyMapping =
        report[.paceChipAuthentication]?.status == .passed && !proofs.contains { report[$0]?.status == .passed }
      let isLess = onlyMapping && report.outcome == .genuine
      return [.remote: local, .witnessed: isLess ? LoadResult(.notEstablished, .chipProof) : local]
    } catch  where FleetError(error).code == .readFailed {
      return [.remote: LoadResult(error), .witnessed: LoadResult(error)]
    }
  }

  /// The right results of all profiles, by their names.
  package func localResults() async throws -> [String: [FleetReadingMode: LoadResult]] {
    var results: [String: [FleetReadingMode: LoadResult]] = [:]
    for document in documents { results[document.profile.name] = try await localResults(of: document) }
    return results
  }
}
