import TesseraCryptography
import TesseraPassport

/// The checks of the data against EF.SOD and of its signature.
enum DataChecks {
  static func hashes(_ passive: Result<PassiveAuthentication, PassportError>, _ dump: DocumentDump) -> Check {
    let coverage: [Int: PassiveAuthentication.Coverage]
    switch passive {
    case .success(let result): coverage = result.coverage
    case .failure(let error): return Check(.passiveHashes, status(error), error.failure.cause)
    }
    let matching = names(coverage, .matches)
    let differing = names(coverage, .differs)
    let uncovered = names(coverage, .notCovered)
    let incomplete = names(coverage, .incomplete)
    let missing = missingGroups(dump).joined(separator: ", ")
    let unread = unreadGroups(dump).joined(separator: ", ")
    let sentences = [
      differing.isEmpty ? "" : "\(differing): the digest differs from EF.SOD.",
      incomplete.isEmpty ? "" : "\(incomplete): not whole, so it was not compared.",
      missing.isEmpty ? "" : "\(missing): covered by EF.SOD, but not delivered by the chip.",
      uncovered.isEmpty ? "" : "\(uncovered): not covered by EF.SOD, so it is not authenticated.",
      matching.isEmpty ? "" : "\(matching): the digest matches EF.SOD.",
      unread.isEmpty ? "" : "Not compared, since not read: \(unread).",
    ]
    let isSound = differing.isEmpty && uncovered.isEmpty && incomplete.isEmpty && missing.isEmpty && !matching.isEmpty
    return Check(
      .passiveHashes, isSound ? .passed : .failed, sentences.filter { !$0.isEmpty }.joined(separator: " "))
  }

  /// A file that is not there leaves everything open.
  private static func status(_ error: PassportError) -> Check.Status {
    if case .fileMissing = error { .skipped } else { .failed }
  }

  /// What the data prove against the document.
  static func proofs(_ passive: PassiveAuthentication) -> [Proof] {
    func groups(_ kind: Proof.Kind, _ state: PassiveAuthentication.Coverage) -> Proof? {
      let numbers = passive.coverage.filter { $0.value == state }.keys.sorted()
      return numbers.isEmpty ? nil : Proof(kind, dataGroups: numbers)
    }
    let signature: Proof? =
      switch passive.signatureProblem {
      case .contentDigestDiffers?: Proof(.contentDiffers)
      case .signatureWrong?: Proof(.signatureWrong)
      case nil, .noCertificate?, .wrongContentType?, .undecidable?: nil
      }
    return [
      groups(.dataGroupDiffers, .differs), groups(.dataGroupNotSigned, .notCovered), signature,
    ].compactMap { $0 }
  }

  /// Data groups that only the chip or only EF.SOD has.
  static func findings(_ passive: PassiveAuthentication?, _ dump: DocumentDump) -> [Report.Finding] {
    guard let passive else { return [] }
    let uncovered = names(passive.coverage, .notCovered)
    let missing = missingGroups(dump).joined(separator: ", ")
    return [
      uncovered.isEmpty
        ? nil
        : Report.Finding(
          id: .dataGroupNotCovered,
          detail: "EF.SOD does not list \(uncovered), which the \(dump.credential == nil ? "chip" : "credential") has. "
            + "It is not signed and may be forged."),
      missing.isEmpty
        ? nil
        : Report.Finding(
          id: .dataGroupMissing, detail: "EF.SOD lists \(missing), which the chip did not deliver."),
    ].compactMap { $0 }
  }

  private static func names(
    _ coverage: [Int: PassiveAuthentication.Coverage], _ state: PassiveAuthentication.Coverage
  ) -> String {
    coverage.filter { $0.value == state }.keys.sorted().map { "DG\($0)" }.joined(separator: ", ")
  }

  /// The groups that EF.SOD covers and that were not read for another reason: nobody requested them, the chip protects
  /// them, or a saved dump lacks them.
  private static func unreadGroups(_ dump: DocumentDump) -> [String] {
    let digests = (try? dump.securityObject())?.securityObject.digests ?? [:]
    let names = Set(digests.keys).subtracting(dump.dataGroups.keys).sorted().map { "DG\($0)" }
    let missing = missingGroups(dump)
    return names.filter { !missing.contains($0) }
  }

  /// The groups that EF.SOD covers and the chip does not deliver.
  private static func missingGroups(_ dump: DocumentDump) -> [String] {
    let digests = (try? dump.securityObject())?.securityObject.digests ?? [:]
    return dump.omissions
      .filter { $0.file.dataGroup.map { digests[$0] != nil } == true && $0.cause == .undelivered }
      .map(\.file.name)
  }

  static func signature(_ passive: Result<PassiveAuthentication, PassportError>) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.passiveSignature, status, detail) }
    let result: PassiveAuthentication
    switch passive {
    case .success(let success): result = success
    case .failure(let error): return check(status(error), error.failure.cause)
    }
    switch result.signatureProblem {
    case nil:
      let subject = result.documentSigner?.subject ?? ""
      return check(
        .passed,
        result.isSignerEmbedded
          ? "EF.SOD is signed by the certificate inside it (\(subject))."
          : "EF.SOD is signed by a document signer that the PKD publishes (\(subject)).")
    case .noCertificate? where result.lacksSigner:
      return check(
        .skipped, "EF.SOD has no certificate of its signer, and the imported document signers lack it.")
    case .noCertificate?: return check(.failed, "EF.SOD lacks the certificate of its signer.")
    case .wrongContentType?: return check(.failed, "The signature of EF.SOD is for another content type.")
    case .contentDigestDiffers?: return check(.failed, "The signed digest in EF.SOD differs from its content.")
    case .signatureWrong?: return check(.failed, "The signature of EF.SOD is invalid.")
    case .undecidable(.unsupported(let algorithm))?:
      return check(.unsupported, "EF.SOD is signed with an unsupported algorithm: \(algorithm).")
    case .undecidable(.keyMismatch(let algorithm))?:
      return check(
        .unsupported, "EF.SOD names the signature algorithm \(algorithm), which is not for its signer's key.")
    case .undecidable(let error)?: return check(.failed, error.failure.cause)
    }
  }
}
