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
  /// From the document signer to the trust anchor.
  let chain: [Report.Certificate]
  /// Whether each data group matches its digest in EF.SOD, by number.
  let coverage: [Int: PassiveAuthentication.Coverage]

  /// - Parameters:
  ///   - date: the date for which validity is checked.
  ///   - challenge: the challenge that Active Authentication must have answered; nil for any.
  init(
    _ dump: DocumentDump, zone: MachineReadableZone, trust: TrustMaterial, at date: Date, challenge: [UInt8]? = nil
  ) {
    let passive = Self.passive(dump, trust)
    let result = try? passive.get()
    coverage = result?.coverage ?? [:]
    let signer = result?.documentSigner.map {
      SignerChecks($0, zone: zone, trust: trust, signedAt: Self.signingTime(dump), at: date)
    }
    let contradiction =
      signer == nil && !trust.isEmpty ? result?.statedSigner.flatMap { SignerProfile.contradiction($0, zone) } : nil
    let unsigned = SignerChecks.without(trust, contradiction)
    let active = ChipVerdict.activeAuthentication(dump, result, challenge: challenge)
    // An answer to another challenge may be a recorded one, and speaks against the document; no answer does not.
    let unchallenged =
      challenge == nil ? active.status : ChipVerdict.activeAuthentication(dump, result, challenge: nil).status
    let lacksAnswer = active.status == .failed && unchallenged != .failed && unchallenged != .passed
    checks = [
      Self.checkDigits(zone),
      Self.keyMatch(zone, dump.givenKey),
      DataChecks.hashes(passive, dump),
      DataChecks.signature(passive),
      signer?.chain ?? unsigned.chain,
      signer?.revocation ?? unsigned.revocation,
      signer?.validity ?? unsigned.validity,
      ChipVerdict.chipAuthentication(dump, result),
      active,
      ChipVerdict.paceChipAuthentication(
        dump, zone: zone, trust: trust, documentSigner: result?.documentSigner,
        isSignerTraced: signer?.chain.status == .passed, at: date),
      ChipVerdict.terminalAuthentication(dump),
      Self.expiry(zone, at: date),
    ]
    findings =
      [Report.Finding(modified: dump.modifiedFiles), AccessComparison(dump).finding].compactMap { $0 }
      + DataChecks.findings(result, dump)
      + DeviationFindings(dump, zone, checks, trust).findings
    chain = signer.map { $0.certificates(embedded: result?.isSignerEmbedded ?? true, trust) } ?? []
    let rule = OutcomeRule(
      checks, findings, signer, dump, contradicts: contradiction != nil, lacksAnswer: lacksAnswer,
      provesAuthenticity: trust.provesAuthenticity)
    (outcome, reason) = (rule.outcome, rule.reason)
  }

  private static func passive(
    _ dump: DocumentDump, _ trust: TrustMaterial
  ) -> Result<PassiveAuthentication, PassportError> {
    do {
      return .success(PassiveAuthentication(try dump.securityObject(), dataGroups: dump.dataGroups, trust: trust))
    } catch {
      return .failure(error)
    }
  }

  /// When EF.SOD was signed, as its signer states.
  private static func signingTime(_ dump: DocumentDump) -> Date? {
    (try? dump.securityObject())?.signedData.signers.first?.signingTime
  }

  private static func checkDigits(_ zone: MachineReadableZone) -> Check {
    guard let wrong = zone.firstWrongCheckDigit else {
      return Check(.mrzCheckDigits, .passed, "All \(zone.checkDigits.count) check digits of DG1 are correct.")
    }
    return Check(.mrzCheckDigits, .failed, "The check digit of the \(wrong.field.rawValue) in DG1 is wrong.")
  }

  private static func keyMatch(_ zone: MachineReadableZone, _ key: MRZInformation?) -> Check {
    guard let key else {
      return Check(.mrzMatchesKey, .skipped, "No MRZ was given.")
    }
    let matches = (try? MRZInformation(zone)) == key
    return matches
      ? Check(.mrzMatchesKey, .passed, "DG1 has the document number and dates of the MRZ that was given.")
      : Check(.mrzMatchesKey, .failed, "DG1 has another document number or date than the MRZ that was given.")
  }

  /// A document is valid until the end of its last day, in UTC.
  private static func expiry(_ zone: MachineReadableZone, at date: Date) -> Check {
    guard let expiry = MRZDate(zone.dateOfExpiry, .expiry, today: date) else {
      return Check(.documentExpiry, .failed, "The date of expiry is not a valid date.")
    }
    return expiry.isOver(at: date)
      ? Check(.documentExpiry, .failed, "Expired on \(expiry).")
      : Check(.documentExpiry, .passed, "Valid until \(expiry).")
  }
}
