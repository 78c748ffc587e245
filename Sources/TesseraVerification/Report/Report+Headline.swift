extension Report {
  /// The result in one line.
  public var headline: String {
    let failures = failedChecks.map(\.id.rawValue) + findings.map(\.id.rawValue)
    let failed = failures.isEmpty ? nil : "CHECK FAILED: \(failures.joined(separator: ", "))"
    let missing = omissions.filter { !$0.isExpected }.map(\.name)
    let undecided = checks.filter { $0.status == .unsupported }.map(\.id.rawValue)
    let reservations = [
      failed,
      missing.isEmpty ? nil : "INCOMPLETE, without \(missing.joined(separator: ", "))",
      undecided.isEmpty ? nil : "NOT VERIFIED: \(undecided.joined(separator: ", "))",
    ].compactMap { $0 }
    let sentence = ([verdict] + reservations).joined(separator: "; ")
    return outcome == .genuine && reservations.isEmpty ? sentence + "." : sentence + reason
  }

  private var verdict: String {
    switch outcome {
    case .genuine: "Genuine, by \(authority ?? "the certificates of \(countryName)")"
    case .notGenuine: "NOT GENUINE"
    case .notEstablished: "Not established"
    }
  }

  private var countryName: String { chain.last.map { $0.country.isEmpty ? $0.subject : $0.country } ?? "the country" }

  /// What is missing for a statement about authenticity.
  private var reason: String {
    guard outcome == .notEstablished else { return "." }
    return "; authenticity is not established" + (missingProof.map { ", since \($0)." } ?? ".")
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
    if !proofs.contains(where: { self[$0]?.status == .passed }) { return "the chip did not prove that it is the original" }
    return nil
  }
}
