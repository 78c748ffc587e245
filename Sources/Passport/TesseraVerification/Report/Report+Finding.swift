import TesseraPassport

extension Report {
  /// A problem of a document that is not part of the fixed list of checks.
  public struct Finding: Sendable, Equatable, Codable {
    public enum ID: String, Sendable, Codable {
      /// EF.CardAccess, which is not signed, lists other PACE protocols than its signed copy.
      case accessDowngrade = "access.downgrade"
      /// The chip has a data group that EF.SOD does not cover.
      case dataGroupNotCovered = "dataGroup.notCovered"
      /// EF.SOD covers a data group that the chip did not deliver.
      case dataGroupMissing = "dataGroup.missing"
      /// A file of a saved dump differs from what was saved, or is missing.
      case dumpModified = "dump.modified"
      /// The country of the document lists known deviations of it.
      case deviationListed = "deviation.listed"
      /// The country of the document states that the key of Active Authentication may be compromised, and the document
      /// has no other proof of the chip.
      case deviationKeyCompromised = "deviation.keyCompromised"
      /// The data come from a digital travel credential, which is a copy: the chip was not seen.
      case credentialCopy = "credential.copy"
      /// The digital travel credential has a signature of its own, which was not verified.
      case credentialSignature = "credential.signature"

      var speaksAgainstDocument: Bool {
        self != .deviationListed && self != .credentialCopy && self != .credentialSignature
      }
    }

    public let id: ID
    /// The reason: one sentence.
    public let detail: String

    /// Whether the finding speaks against the document. A known deviation only explains what was found, and what a
    /// credential is says nothing against it.
    public var speaksAgainstDocument: Bool { id.speaksAgainstDocument }
  }
}

extension Report.Finding {
  /// nil if no file was modified.
  init?(modified files: [ElementaryFile]) {
    guard !files.isEmpty else { return nil }
    let names = files.map(\.name).joined(separator: ", ")
    self.init(
      id: .dumpModified,
      detail: "These files do not match SHA256SUMS, so they were changed or removed after the read: \(names).")
  }
}

extension Report.Finding: CustomStringConvertible {
  /// The name and the reason.
  public var description: String { "\(id.rawValue): \(detail)" }
}

extension Report {
  /// What is wrong with a document: a check that failed, or a finding that speaks against it.
  public struct Problem: Sendable, Equatable {
    /// The name of the check (`Check.ID`) or of the finding (`Finding.ID`): `passive.hashes`, `dump.modified`, …
    public let name: String
    /// The reason: one sentence or more.
    public let detail: String
  }

  /// What `headline` names as “CHECK FAILED”, in the same order: the checks that failed, then the findings that speak
  /// against the document. Empty if the document `isSound`.
  public var problems: [Problem] {
    failedChecks.map { Problem(name: $0.id.rawValue, detail: $0.detail) }
      + findings.filter(\.speaksAgainstDocument).map { Problem(name: $0.id.rawValue, detail: $0.detail) }
  }
}

extension Report.Problem: CustomStringConvertible {
  /// The name and the reason.
  public var description: String { "\(name): \(detail)" }
}

extension Report {
  /// The result in one line.
  public var headline: String {
    let failures = problems.map(\.name)
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
