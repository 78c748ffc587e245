import TesseraCryptography
import TesseraPassport
import TesseraVerification

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The judgement of a seal: a pure function of what it says, of what is known of countries, and of the printed zone.
///
/// It accuses only with a proof: a signature that no certificate of the seal's reference verifies, a certificate that its
/// named issuer did not sign, a signer of another country or for other documents, a printed zone that surely differs. All
/// else leaves the question open. That a seal is genuine says that the country signed these data, and nothing of the paper.
package struct SealJudge: Sendable {
  package let outcome: Outcome
  /// nil for `genuine`.
  package let reason: SealReason?
  package let status: SealStatus
  package let checks: [SealCheck]
  package let findings: [SealFinding]
  package let comparison: SealComparison
  /// Whether the seal names the given passport; nil without one, and for a seal that names none.
  package let namesPassport: Bool?
  /// The certificate of the signer; nil if none is known. If none verifies the signature, one that the seal names.
  package let signer: Certificate?
  /// Where the signer's certificate comes from: `seal`, or the name of an imported file.
  package let signerSource: String
  /// The country signers from the signer's issuer on.
  package let path: [CountrySigner]
  /// Whether the signature was verified, by a certificate that the seal names.
  package let isSignatureVerified: Bool

  /// - Parameters:
  ///   - evidence: what the seal says, and its signature.
  ///   - content: what was understood of it.
  ///   - printed: the zone on the document; nil if it was not read.
  ///   - passport: the zone of the holder's passport; nil if it was not given.
  ///   - trust: what is known of countries.
  ///   - date: the time of the inspection.
  package init(
    _ evidence: SealEvidence, _ content: SealContent, printed: PrintedZone? = nil,
    passport: MachineReadableZone? = nil, trust: TrustMaterial, at date: Date
  ) {
    let signed = SignedSeal.judged(evidence, content, trust: trust, at: date)
    let format = Self.format(content)
    let document = ComparedSeal(content, printed, passport: passport)
    let judged =
      [
        format, signed.signature, signed.chain, signed.revocation, signed.validity, signed.documentType,
        document.judged,
      ]
    let faults = judged.flatMap(\.faults)
    checks = judged.map(\.check) + [Self.expiry(content, at: date)]
    findings = content.findings + Self.findings(evidence, content, at: date)
    (comparison, namesPassport) = (document.result, document.namesPassport)
    (signer, signerSource, path) = (signed.certificate, signed.source, signed.path)
    isSignatureVerified = signed.isVerified
    (outcome, reason) = Self.outcome(faults, trust)
    status = Self.status(faults, findings)
  }

  /// The judgement of what looks like a seal and cannot be read as one.
  ///
  /// - Parameter problem: a sentence without any content of the seal.
  package init(malformed problem: String) {
    let reason = "The seal could not be read."
    checks = SealCheck.ID.allCases.map { id in
      id == .format ? SealCheck(id, .failed, problem) : SealCheck(id, .skipped, reason)
    }
    (outcome, self.reason) = (.notEstablished, .format)
    status = SealStatus(isValid: false, indications: [.wrongFormat])
    (findings, comparison, namesPassport) = ([], .notCompared, nil)
    (signer, signerSource, path, isSignatureVerified) = (nil, "", [], false)
  }

  // MARK: - Content

  private static func format(_ content: SealContent) -> JudgedCheck {
    if let problem = content.problems.first {
      // One sentence for each, and no more than a reader can use.
      let all = content.problems.prefix(5).joined(separator: " ")
      return JudgedCheck(
        SealCheck(.format, .failed, content.problems.count > 1 ? all : problem),
        SealFault(.format, .format, .wrongFormat))
    }
    if let digit = content.zone?.zone.firstWrongCheckDigit {
      return JudgedCheck(
        SealCheck(.format, .failed, "The zone in the seal has a wrong check digit (\(digit.field.rawValue))."),
        SealFault(.sealZone, .machineReadableZone, .invalidSealZone))
    }
    return JudgedCheck(SealCheck(.format, .passed, "The seal is as its format demands."))
  }

  /// A document that has expired is still the original.
  private static func expiry(_ content: SealContent, at date: Date) -> SealCheck {
    func check(_ status: Check.Status, _ detail: String) -> SealCheck { SealCheck(.documentExpiry, status, detail) }
    if let end = content.validUntil {
      return end.isOver(at: date) ? check(.failed, "It was valid until \(end).") : check(.passed, "Valid until \(end).")
    }
    guard let zone = content.zone?.zone else { return check(.skipped, "The seal states no date of expiry.") }
    if zone.dateOfExpiry.allSatisfy({ $0 == "<" }) { return check(.skipped, "The document has no date of expiry.") }
    if zone.statesNoEnd { return check(.passed, "The document is valid without an end.") }
    guard let expiry = MRZDate(zone.dateOfExpiry, .expiry, today: date) else {
      return check(.failed, "The date of expiry in the seal is not a valid date.")
    }
    return expiry.isOver(at: date) ? check(.failed, "Expired on \(expiry).") : check(.passed, "Valid until \(expiry).")
  }

  private static func findings(_ evidence: SealEvidence, _ content: SealContent, at date: Date) -> [SealFinding] {
    var findings: [SealFinding] = []
    if case .reference(_, _, "") = evidence.signer {
      findings.append(
        SealFinding(.testReference, "The seal's reference of zeros is the one for tests, and names no certificate."))
    }
    if let start = content.validFrom, start.start > date {
      findings.append(SealFinding(.notYetValid, "What the seal grants begins on \(start)."))
    } else if let signed = content.signedOn, signed.start > date.addingTimeInterval(86_400) {
      findings.append(SealFinding(.notYetValid, "The seal states that it was signed on \(signed)."))
    }
    return findings
  }

  // MARK: - Outcome

  /// A proof counts before everything that is merely open, and one against the data before one against the signer.
  private static func outcome(_ faults: [SealFault], _ trust: TrustMaterial) -> (Outcome, SealReason?) {
    let proofs = faults.filter(\.isProof)
    if let proof = proofs.first(where: { $0.reason == .data }) ?? proofs.min(by: { $0.step < $1.step }) {
      return (.notGenuine, proof.reason)
    }
    if let fault = faults.min(by: { $0.step < $1.step }) { return (.notEstablished, fault.reason) }
    return trust.provesAuthenticity ? (.genuine, nil) : (.notEstablished, .publicKeys)
  }

  /// The steps end with the first one that fails; what proves something is stated all the same.
  private static func status(_ faults: [SealFault], _ findings: [SealFinding]) -> SealStatus {
    guard let first = faults.map(\.step).min() else {
      let isUnknown = findings.contains { $0.id == .unknownFeature }
      return SealStatus(isValid: true, indications: isUnknown ? [.unknownFeature] : [])
    }
    let counting = faults.filter { $0.step == first || $0.isProof }.sorted { $0.step < $1.step }
    var indications: [SealStatus.Indication] = []
    for indication in counting.compactMap(\.indication) where !indications.contains(indication) {
      indications.append(indication)
    }
    return SealStatus(isValid: false, indications: indications)
  }
}
