extension Report {
  /// The result in one line.
  public var headline: String {
    let failures = failedChecks.map(\.id.rawValue) + findings.filter(\.speaksAgainstDocument).map(\.id.rawValue)
    let failed = failures.isEmpty ? nil : "CHECK FAILED: \(failures.joined(separator: ", "))"
    let missing = omissions.filter { !$0.isExpected }.map(\.name)
    let undecided = checks.filter { $0.status == .unsupported }.map(\.id.rawValue)
    let reservations = [
      failed,
      missing.isEmpty ? nil : "INCOMPLETE, without \(missing.joined(separator: ", "))",
      undecided.isEmpty ? nil : "NOT VERIFIED: \(undecided.joined(separator: ", "))",
    ].compactMap { $0 }
    switch outcome {
    case .genuine:
      let authority = authority ?? "the certificates of \(countryName)"
      return (["Genuine, by \(authority)"] + reservations).joined(separator: "; ") + "."
    case .notGenuine: return (["NOT GENUINE"] + reservations).joined(separator: "; ") + "."
    case .notEstablished:
      let reason = "authenticity is not established" + (missingProof.map { ", since \($0)." } ?? ".")
      return reservations.isEmpty ? "Read; \(reason)" : reservations.joined(separator: "; ") + "; \(reason)"
    }
  }

  private var countryName: String { chain.last.map { $0.country.isEmpty ? $0.subject : $0.country } ?? "the country" }

  /// Whether the document has a key of the chip.
  private var offersProof: Bool {
    let absence = "The document does not offer"
    let proofs: [Check.ID] = [.chipAuthentication, .activeAuthentication, .paceChipAuthentication]
    return proofs.contains { self[$0].map { !$0.detail.hasPrefix(absence) } ?? false }
  }

  /// The first thing that is missing; nil if a failed check says it.
  private var missingProof: String? {
    let chain = self[.passiveChain]?.status
    if let signature = self[.passiveSignature]?.status, signature != .passed {
      return "the signature of EF.SOD could not be verified"
    }
    if chain == .skipped { return "no country certificates are known" }
    if chain == .failed { return "no country certificate leads to the document signer" }
    if self[.passiveValidity]?.status == .failed { return "the certificate of the signer is not valid" }
    if self[.passiveRevocation]?.status == .failed { return "the document signer is revoked" }
    let proofs: [Check.ID] = [.chipAuthentication, .activeAuthentication, .paceChipAuthentication]
    if offersProof, !proofs.contains(where: { self[$0]?.status == .passed }) {
      return "the chip did not prove that it is the original"
    }
    if findings.contains(where: { $0.id == .deviationKeyCompromised }) {
      return "the key of Active Authentication may be compromised"
    }
    return authority.map { "the keys of \($0) are public" }
  }
}
