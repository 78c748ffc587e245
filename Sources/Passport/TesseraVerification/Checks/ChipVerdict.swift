import TesseraCryptography
import TesseraPassport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The checks of Chip, Active and Terminal Authentication and of PACE with Chip Authentication Mapping, from the files
/// and the evidence of a dump.
enum ChipVerdict {
  private typealias Arc = SecurityInfos.Arc

  /// A check, and whether its failure is a proof against the document: the chip answered, and the answer is wrong. A chip
  /// that refuses, or whose session ends, proves nothing.
  struct Result: Equatable {
    let check: Check
    let isProof: Bool

    init(_ check: Check, isProof: Bool = false) { (self.check, self.isProof) = (check, isProof) }
  }

  // MARK: - Chip Authentication

  /// - Parameter passive: the verification of EF.SOD; nil if it was not read or is malformed.
  static func chipAuthentication(_ dump: DocumentDump, _ passive: PassiveAuthentication?) -> Result {
    func check(_ status: Check.Status, _ detail: String, isProof: Bool = false) -> Result {
      Result(Check(.chipAuthentication, status, detail), isProof: isProof)
    }
    let infos: SecurityInfos
    switch dump.content.dataGroup14 {
    case nil: return check(.skipped, absence(of: .dg14, "Chip Authentication", dump))
    case .failure(let error)?: return check(.unsupported, error.failure.cause)
    case .success(let group)?: infos = group.securityInfos
    }
    let offer: ChipAuthentication
    do {
      guard let strongest = try ChipAuthentication.strongest(of: infos) else {
        return check(.skipped, "The document does not offer Chip Authentication.")
      }
      offer = strongest
    } catch ChipAuthenticationProblem.keyInvalid {
      return check(.failed, ChipAuthenticationProblem.keyInvalid.sentence)
    } catch {
      return check(.unsupported, error.sentence)
    }
    guard let evidence = dump.evidence.chipAuthentication else {
      if dump.evidence.withholdsChipAuthentication {
        return check(
          .failed, "The document offers Chip Authentication (\(offer.name)), but the chip prevented it.")
      }
      return check(.skipped, "The document offers Chip Authentication (\(offer.name)), which was not performed.")
    }
    switch evidence.evaluate(offer) {
    case .proven:
      let assumed = offer.isAssumed ? " DG14 names no protocol; the default for such documents was used." : ""
      return Result(
        covered(.chipAuthentication, .dg14, passive, "The chip has the private key of DG14 (\(offer.name)).\(assumed)"))
    case .refused(.none):
      return check(.failed, "The key in DG14 or its group has too small an order to prove anything.")
    case .refused(let status): return check(.failed, "The chip refused Chip Authentication (status \(status)).")
    case .malformed: return check(.failed, "The evidence of Chip Authentication is malformed.")
    case .noResponse: return check(.failed, "The chip did not answer under the keys of Chip Authentication.")
    case .wrongKeys:
      return check(.failed, "The chip does not have the private key of DG14: it is not the original.", isProof: true)
    }
  }

  // MARK: - Active Authentication

  /// - Parameters:
  ///   - passive: the verification of EF.SOD; nil if it was not read or is malformed.
  ///   - challenge: the challenge that the chip must have signed; nil for any.
  static func activeAuthentication(
    _ dump: DocumentDump, _ passive: PassiveAuthentication?, challenge: [UInt8]?
  ) -> Result {
    let result = activeAuthentication(dump, passive, answering: challenge)
    let check = result.check
    // Whoever made the dump chooses what it lacks. Whoever requires an answer gets a proof or a failure.
    guard challenge != nil, check.status != .passed, check.status != .failed else { return result }
    return Result(Check(check.id, .failed, "\(check.detail) So nothing proves an answer to the given challenge."))
  }

  private static func activeAuthentication(
    _ dump: DocumentDump, _ passive: PassiveAuthentication?, answering challenge: [UInt8]?
  ) -> Result {
    func check(_ status: Check.Status, _ detail: String, isProof: Bool = false) -> Result {
      Result(Check(.activeAuthentication, status, detail), isProof: isProof)
    }
    let key: PublicKey
    switch dump.content.dataGroup15 {
    case nil: return check(.skipped, absence(of: .dg15, "Active Authentication", dump))
    case .failure(let error)?: return check(.unsupported, error.failure.cause)
    case .success(let group)?: key = group.publicKey
    }
    guard let evidence = dump.evidence.activeAuthentication else {
      return check(.skipped, "The document offers Active Authentication, which was not performed.")
    }
    if let challenge, challenge != evidence.challenge {
      return check(.failed, "The chip signed another challenge than the given one.")
    }
    switch evidence.evaluate(key, (try? dump.content.dataGroup14?.get())?.securityInfos) {
    case .proven(let how):
      return Result(covered(.activeAuthentication, .dg15, passive, "The chip has the private key of DG15 (\(how))."))
    case .refused(.none): return check(.failed, "The chip ended the session before Active Authentication.")
    case .refused(let status): return check(.failed, "The chip refused Active Authentication (status \(status)).")
    case .wrong(let reason):
      // Who signed with another hash function has the key all the same.
      switch evidence.evaluate(key, nil) {
      case .proven(let how):
        return check(.failed, "The chip signed with another hash function than DG14 states: \(how).")
      case .wrong: return check(.failed, reason, isProof: true)
      case .refused, .undecided, .unsupported: return check(.failed, reason)
      }
    case .undecided(let reason): return check(.failed, reason)
    case .unsupported(let reason): return check(.unsupported, reason)
    }
  }

  // MARK: - PACE with Chip Authentication Mapping

  /// The signer of EF.CardSecurity is traced like that of EF.SOD.
  ///
  /// - Parameters:
  ///   - documentSigner: the signer of EF.SOD.
  ///   - isSignerTraced: whether that one leads to a country signer.
  static func paceChipAuthentication(
    _ dump: DocumentDump, zone: MachineReadableZone?, trust: TrustMaterial, documentSigner: Certificate?,
    isSignerTraced: Bool, at date: Date
  ) -> Result {
    func check(_ status: Check.Status, _ detail: String, isProof: Bool = false) -> Result {
      Result(Check(.paceChipAuthentication, status, detail), isProof: isProof)
    }
    if let status = dump.evidence.mappingRefusal {
      return check(.failed, "The chip refused the Chip Authentication Mapping that it offers (status \(status)).")
    }
    guard let evidence = dump.evidence.paceChipAuthentication else {
      return check(
        .skipped,
        dump.content.offers(Arc.paceChipAuthenticationMapping)
          ? "The document offers PACE with Chip Authentication Mapping, but another protocol was used."
          : "The document does not offer PACE with Chip Authentication Mapping.")
    }
    let security: EFCardSecurity
    switch dump.content.cardSecurity {
    case nil:
      let reason = dump.omissions.first { $0.file == .cardSecurity }?.reason ?? "It was not requested."
      return check(.failed, "EF.CardSecurity, which contains the chip's key, was not read. \(reason)")
    case .failure(let error)?: return check(.failed, error.failure.cause)
    case .success(let file)?: security = file
    }
    let signatures = SignedDataVerification(security.signedData, trust: trust)
    switch signatures.problem {
    case nil: break
    case .undecidable(.unsupported(let algorithm))?:
      // Unlike for EF.SOD, no other check covers this file: a copy could name an unknown algorithm to avoid this one.
      return check(.failed, "EF.CardSecurity is signed with an unsupported algorithm: \(algorithm).")
    case .noCertificate?, .wrongContentType?, .undecidable?:
      return check(.failed, "The signature of EF.CardSecurity cannot be verified.")
    case .contentDigestDiffers?, .signatureWrong?:
      return check(.failed, "The signature of EF.CardSecurity is invalid.", isProof: true)
    }
    guard let signer = signatures.signer else { return check(.failed, "The signature of EF.CardSecurity is invalid.") }
    let tracing = SignerChecks(
      signer, zone: zone, trust: trust, signedAt: security.signedData.signers.first?.signingTime, at: date)
    if let problem = signerProblem(tracing, isTraced: isSignerTraced, isSame: signer == documentSigner) {
      return check(
        .failed, "The signer of EF.CardSecurity is not accepted. \(problem)", isProof: tracing.proof != nil)
    }
    switch evidence.problem(security.securityInfos) {
    case nil where signer != documentSigner && tracing.validity.status == .failed:
      return check(.skipped, "\(tracing.validity.detail) It signed EF.CardSecurity, so the chip's key proves nothing.")
    case nil where signer != documentSigner && tracing.revocation.status == .failed:
      return check(
        .skipped,
        "\(tracing.revocation.detail) Whether the signer of EF.CardSecurity is revoked is not known, so the chip's key "
          + "proves nothing.")
    case nil where dump.evidence.isMappingReported:
      return check(
        .skipped,
        "Another machine performed PACE and reports that the chip has the private key of EF.CardSecurity, which proves "
          + "nothing here.")
    case nil:
      return check(
        .passed,
        "The chip has the private key of EF.CardSecurity, which the certificate inside it signed (\(signer.subject)).")
    case .dataMissing?: return check(.failed, "The chip sent no chip authentication data in the last step of PACE.")
    case .dataMalformed?:
      return check(.failed, "The chip authentication data in the last step of PACE are malformed.")
    case .keyMissing?:
      return check(.failed, "EF.CardSecurity has no key for the domain parameters of PACE.")
    case .keyUnusable(let reason)?: return check(.failed, reason)
    case .keyDiffers?:
      return check(
        .failed, "The chip does not have the private key of EF.CardSecurity: it is not the original.", isProof: true)
    }
  }

  /// Why the signer of EF.CardSecurity is not accepted: what `passive.chain` and `passive.revocation` check of EF.SOD's.
  ///
  /// - Parameters:
  ///   - isTraced: whether the signer of EF.SOD leads to a country signer. If it does not, that check says so, and the
  ///     chip is judged like one whose country is not known.
  ///   - isSame: whether both files have the same signer.
  private static func signerProblem(_ tracing: SignerChecks, isTraced: Bool, isSame: Bool) -> String? {
    if tracing.proof != nil { return tracing.chain.detail }
    guard !isSame else { return nil }
    if isTraced, tracing.chain.status != .passed { return tracing.chain.detail }
    return tracing.isRevoked ? tracing.revocation.detail : nil
  }

  // MARK: - Terminal Authentication

  static func terminalAuthentication(_ dump: DocumentDump) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.terminalAuthentication, status, detail) }
    guard let evidence = dump.evidence.terminalAuthentication else {
      if dump.content.offers(Arc.terminalAuthentication) {
        return check(.skipped, "The document offers Terminal Authentication, but no certificates for it were given.")
      }
      return check(.skipped, absence(of: .dg14, "Terminal Authentication", dump))
    }
    let authorities = evidence.authorities.isEmpty ? "none" : evidence.authorities.joined(separator: ", ")
    switch evidence.outcome {
    case .accepted: return check(.passed, "The chip accepted \(evidence.chain.last ?? "the terminal").")
    case .noChain:
      return check(
        .skipped,
        "None of the certificates given leads to an authority that the chip trusts (\(authorities)).")
    case .chipNotAuthenticated:
      return check(
        .skipped, "Terminal Authentication needs an authenticated chip; it was not authenticated before.")
    case .refused(let step, let status): return check(.failed, "The chip refused \(step) (status \(status)).")
    }
  }

  // MARK: - Common reasons

  /// A key proves something only if EF.SOD covers the file that contains it, and the signature of EF.SOD is valid.
  private static func covered(
    _ id: Check.ID, _ file: ElementaryFile, _ passive: PassiveAuthentication?, _ detail: String
  ) -> Check {
    guard let passive, !passive.isForged, let number = file.dataGroup, passive.coverage[number] == .matches else {
      return Check(id, .failed, "\(detail) EF.SOD does not cover \(file.name), so this proves nothing.")
    }
    guard passive.signatureProblem == nil else {
      return Check(
        id, .skipped, "\(detail) The signature of EF.SOD could not be verified, so the key proves nothing.")
    }
    return Check(id, .passed, detail)
  }

  /// Why there is no evidence of a mechanism.
  ///
  /// - Parameter file: the data group that lists the mechanism.
  private static func absence(of file: ElementaryFile, _ name: String, _ dump: DocumentDump) -> String {
    if dump[file] == nil, let number = file.dataGroup, dump.content.statedDataGroups.contains(number) {
      return "\(file.name), which lists \(name), was not read."
    }
    return "The document does not offer \(name)."
  }
}
