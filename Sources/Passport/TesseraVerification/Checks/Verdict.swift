import TesseraCryptography
import TesseraPassport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The judgement of a dump: a pure function of what was read and of what is known of countries. So a stored dump can be
/// verified again, on another machine and with other certificates.
struct Verdict {
  let checks: [Check]
  let findings: [Report.Finding]
  let outcome: Outcome
  /// nil for `genuine`.
  let reason: OutcomeReason?
  /// What proves that the document is not genuine; empty for the other outcomes.
  let proofs: [Proof]
  /// From the document signer to the trust anchor.
  let chain: [Report.Certificate]
  /// Whether each data group matches its digest in EF.SOD, by number.
  let coverage: [Int: PassiveAuthentication.Coverage]

  /// - Parameters:
  ///   - date: the date for which validity is checked.
  ///   - challenge: the challenge that Active Authentication must have answered; nil for any.
  init(
    _ dump: DocumentDump, zone stated: Swift.Result<MachineReadableZone, MRZError>, trust: TrustMaterial, at date: Date,
    challenge: [UInt8]? = nil
  ) {
    let zone = try? stated.get()
    let passive = Self.passive(dump, trust)
    let result = try? passive.get()
    coverage = result?.coverage ?? [:]
    let signer = result?.documentSigner.map {
      SignerChecks($0, zone: zone, trust: trust, signedAt: Self.signingTime(dump), at: date)
    }
    let contradiction =
      signer == nil && !trust.isEmpty ? result?.statedSigner.flatMap { SignerProfile.contradiction($0, zone) } : nil
    let unsigned = SignerChecks.without(trust, contradiction)
    let chip = ChipVerdict.chipAuthentication(dump, result)
    let active = ChipVerdict.activeAuthentication(dump, result, challenge: challenge)
    let mapping = ChipVerdict.paceChipAuthentication(
      dump, zone: zone, trust: trust, documentSigner: result?.documentSigner,
      isSignerTraced: signer?.chain.status == .passed, at: date)
    // No answer, and one to another challenge, which may be a recorded one.
    let unchallenged =
      challenge == nil ? active : ChipVerdict.activeAuthentication(dump, result, challenge: nil)
    let lacksAnswer = active.check.status == .failed && unchallenged.check.status != .failed
    checks = [
      ZoneChecks.checkDigits(stated),
      ZoneChecks.keyMatch(zone, dump.givenKey),
      DataChecks.hashes(passive, dump),
      DataChecks.signature(passive),
      signer?.chain ?? unsigned.chain,
      signer?.revocation ?? unsigned.revocation,
      signer?.validity ?? unsigned.validity,
      chip.check, active.check, mapping.check,
      ChipVerdict.terminalAuthentication(dump),
      ZoneChecks.expiry(zone, at: date),
    ]
    findings =
      [Report.Finding(modified: dump.modifiedFiles), AccessComparison(dump).finding].compactMap { $0 }
      + TravelCredential.findings(dump)
      + DataChecks.findings(result, dump)
      + DeviationFindings(dump, zone, checks, trust).findings
    chain = signer.map { $0.certificates(embedded: result?.isSignerEmbedded ?? true, trust) } ?? []
    proofs =
      (dump.modifiedFiles.isEmpty ? [] : [Proof(.dumpModified)]) + (result.map(DataChecks.proofs) ?? [])
      + [contradiction == nil ? signer?.proof : .signerOfOtherDocuments].compactMap { $0.map { Proof($0) } }
      + [chip, active, mapping].filter(\.isProof).map { Proof(.chipAnswerWrong, check: $0.check.id) }
    let rule = OutcomeRule(
      checks, findings, signer, dump, proofs, lacksAnswer: lacksAnswer, provesAuthenticity: trust.provesAuthenticity)
    (outcome, reason) = (rule.outcome, rule.reason)
  }

  private static func passive(
    _ dump: DocumentDump, _ trust: TrustMaterial
  ) -> Result<PassiveAuthentication, PassportError> {
    do {
      return .success(
        PassiveAuthentication(
          try dump.securityObject(), dataGroups: dump.dataGroups, digests: dump.dataGroupDigests, trust: trust))
    } catch {
      return .failure(error)
    }
  }

  /// When EF.SOD was signed, as its signer states.
  private static func signingTime(_ dump: DocumentDump) -> Date? {
    (try? dump.securityObject())?.signedData.signers.first?.signingTime
  }
}
