import TesseraCryptography
import TesseraPassport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The checks of a dump: a pure function of its files and evidence, so that a stored dump can be verified again.
struct Verdict {
  let checks: [Check]
  /// Whether each data group matches its digest in EF.SOD, by number.
  let coverage: [Int: PassiveAuthentication.Coverage]

  init(_ dump: DocumentDump, zone: MachineReadableZone, at date: Date) {
    let passive = Self.passive(dump)
    coverage = (try? passive.get())?.coverage ?? [:]
    // A digest in an EF.SOD with an invalid signature proves nothing.
    let trusted = (try? passive.get()).flatMap { $0.isForged ? nil : $0.coverage } ?? [:]
    let noAnchor = "No trust anchors are set, so the document signer was not verified."
    checks = [
      Self.checkDigits(zone),
      Self.keyMatch(zone, dump.givenKey),
      Self.hashes(passive, dump),
      Self.signature(passive),
      Check(.passiveChain, .skipped, noAnchor),
      Check(.passiveRevocation, .skipped, "No certificate revocation list of the issuing country is set."),
      Check(.passiveValidity, .skipped, noAnchor),
      ChipVerdict.chipAuthentication(dump, trusted),
      ChipVerdict.activeAuthentication(dump, trusted),
      ChipVerdict.paceChipAuthentication(dump),
      ChipVerdict.terminalAuthentication(dump),
      Self.expiry(zone, at: date),
    ]
  }

  private static func passive(_ dump: DocumentDump) -> Result<PassiveAuthentication, PassportError> {
    do {
      return .success(PassiveAuthentication(try dump.securityObject(), dataGroups: dump.dataGroups))
    } catch {
      return .failure(error)
    }
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

  private static func hashes(
    _ passive: Result<PassiveAuthentication, PassportError>, _ dump: DocumentDump
  ) -> Check {
    let coverage: [Int: PassiveAuthentication.Coverage]
    switch passive {
    case .success(let result): coverage = result.coverage
    case .failure(let error): return Check(.passiveHashes, .failed, error.failure.cause)
    }
    func names(_ state: PassiveAuthentication.Coverage) -> String {
      coverage.filter { $0.value == state }.keys.sorted().map { "DG\($0)" }.joined(separator: ", ")
    }
    let matching = names(.matches)
    let differing = names(.differs)
    let uncovered = names(.notCovered)
    // A group that EF.SOD covers and the chip does not deliver fails the check.
    let digests = (try? dump.securityObject())?.securityObject.digests ?? [:]
    let withheld = dump.omissions
      .filter { $0.file.dataGroup.map { digests[$0] != nil } == true }
      .filter { $0.cause == .undelivered }
      .map(\.file.name).joined(separator: ", ")
    let sentences = [
      matching.isEmpty ? "" : "\(matching): the digest matches EF.SOD.",
      differing.isEmpty ? "" : "\(differing): the digest differs from EF.SOD.",
      withheld.isEmpty ? "" : "\(withheld): covered by EF.SOD, but not delivered by the chip.",
      uncovered.isEmpty ? "" : "\(uncovered): not covered by EF.SOD, so it is not authenticated.",
    ]
    let isSound = differing.isEmpty && uncovered.isEmpty && withheld.isEmpty && !matching.isEmpty
    return Check(
      .passiveHashes, isSound ? .passed : .failed, sentences.filter { !$0.isEmpty }.joined(separator: " "))
  }

  private static func signature(_ passive: Result<PassiveAuthentication, PassportError>) -> Check {
    let result: PassiveAuthentication
    switch passive {
    case .success(let success): result = success
    case .failure(let error): return Check(.passiveSignature, .failed, error.failure.cause)
    }
    switch result.signatureProblem {
    case nil:
      let subject = result.documentSigner?.subject ?? ""
      return Check(.passiveSignature, .passed, "EF.SOD is signed by the certificate inside it (\(subject)).")
    case .noCertificate?:
      return Check(.passiveSignature, .failed, "EF.SOD lacks the certificate of its signer.")
    case .wrongContentType?:
      return Check(.passiveSignature, .failed, "The signature of EF.SOD is for another content type.")
    case .contentDigestDiffers?:
      return Check(.passiveSignature, .failed, "The signed digest in EF.SOD differs from its content.")
    case .signatureWrong?: return Check(.passiveSignature, .failed, "The signature of EF.SOD is invalid.")
    case .undecidable(.unsupported(let algorithm))?:
      return Check(.passiveSignature, .unsupported, "EF.SOD is signed with an unsupported algorithm: \(algorithm).")
    case .undecidable(let error)?: return Check(.passiveSignature, .failed, error.failure.cause)
    }
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
