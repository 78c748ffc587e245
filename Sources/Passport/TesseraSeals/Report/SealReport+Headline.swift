import TesseraVerification

extension SealReport {
  /// The result in one line. Whether the seal was compared with a document is always part of it.
  public var headline: String {
    let failures = checks.filter { $0.status == .failed && $0.id != .documentExpiry }.map(\.id.rawValue)
    let undecided = checks.filter { $0.status == .unsupported }.map(\.id.rawValue)
    let reservations = [
      failures.isEmpty ? nil : "CHECK FAILED: \(failures.joined(separator: ", "))",
      undecided.isEmpty ? nil : "NOT VERIFIED: \(undecided.joined(separator: ", "))",
    ].compactMap(\.self)
    let clause = outcomeReason?.clause ?? ""
    let expired =
      self[.documentExpiry]?.status == .failed
      ? ["\(documentName.isEmpty ? "document" : documentName) not valid any more"] : []
    let parts: [String]
    switch outcome {
    case .genuine:
      let revocation = self[.revocation]?.status == .skipped ? ["revocation not checked"] : []
      parts =
        ["Genuine seal, by \(authority ?? "the certificates of \(countryName)")", comparisonClause] + expired
        + revocation
    case .notGenuine: parts = ["NOT GENUINE: \(clause)"] + reservations
    case .notEstablished:
      let beginning = reservations.isEmpty ? ["Seal read"] : reservations
      parts = beginning + ["authenticity of the seal is not established, since \(clause)"]
    }
    return parts.joined(separator: "; ") + "."
  }

  private var comparisonClause: String {
    switch comparison {
    case .notCompared: "NOT COMPARED with a document"
    case .equalsZone: "it equals the printed MRZ"
    case .namesPassport: "it names the passport that was given"
    case .differs: "IT DIFFERS from the document"
    }
  }

  private var countryName: String { chain.last.map { $0.country.isEmpty ? $0.subject : $0.country } ?? "the country" }
}
