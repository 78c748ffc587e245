extension Report {
  /// The result in one line.
  public var headline: String {
    let failures = failedChecks.map(\.id.rawValue) + findings.filter(\.speaksAgainstDocument).map(\.id.rawValue)
    let missing = omissions.filter { !$0.isExpected }.map(\.name)
    let undecided = checks.filter { $0.status == .unsupported }.map(\.id.rawValue)
    let reservations = [
      failures.isEmpty ? nil : "CHECK FAILED: \(failures.joined(separator: ", "))",
      missing.isEmpty ? nil : "INCOMPLETE, without \(missing.joined(separator: ", "))",
      undecided.isEmpty ? nil : "NOT VERIFIED: \(undecided.joined(separator: ", "))",
    ].compactMap { $0 }
    let clause = outcomeReason?.clause ?? ""
    let copy = credential == nil ? nil : "a copy, the passport itself was not seen"
    let absent = [copy, Self.absence(absentGroups, "there"), Self.absence(unrequestedGroups, "read")].compactMap { $0 }
    let parts: [String]
    switch outcome {
    case .genuine:
      let revocation = self[.passiveRevocation]?.status == .skipped ? ["revocation not checked"] : []
      parts = ["Genuine, by \(authority ?? "the certificates of \(countryName)")"] + reservations + absent + revocation
    case .notGenuine: parts = ["NOT GENUINE: \(clause)"] + reservations + absent
    case .notEstablished:
      let openQuestion = "authenticity is not established, since \(clause)"
      parts = (reservations.isEmpty ? ["Read"] : reservations) + absent + [openQuestion]
    }
    return parts.joined(separator: "; ") + "."
  }

  private static func absence(_ groups: [String], _ state: String) -> String? {
    groups.isEmpty ? nil : "\(groups.joined(separator: ", ")) \(groups.count == 1 ? "was" : "were") not \(state)"
  }

  private var countryName: String { chain.last.map { $0.country.isEmpty ? $0.subject : $0.country } ?? "the country" }
}
