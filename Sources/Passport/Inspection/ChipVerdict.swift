import Cryptography

/// Judges what the chip did to prove that it is the original: from the files and the evidence alone.
enum ChipVerdict {
  private typealias Arc = SecurityInfos.Arc

  // MARK: - Chip Authentication

  static func chipAuthentication(
    _ dump: DocumentDump, _ coverage: [Int: PassiveAuthentication.Coverage]
  ) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.chipAuthentication, status, detail) }
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
          .failed, "The document offers Chip Authentication (\(offer.name)), and the chip made it impossible.")
      }
      return check(.skipped, "The document offers Chip Authentication (\(offer.name)), which was not done.")
    }
    switch evidence.judge(offer) {
    case .proven:
      let assumed = offer.isAssumed ? " DG14 names no protocol; the one of such documents was taken." : ""
      return vouched(
        .chipAuthentication, .dg14, coverage, "The chip has the private key of DG14 (\(offer.name)).\(assumed)")
    case .refused(.none):
      return check(.failed, "The key or the group in DG14 has so small an order that it proves nothing.")
    case .refused(let status): return check(.failed, "The chip refused Chip Authentication (status \(status)).")
    case .noAnswer: return check(.failed, "The chip did not answer under the keys of Chip Authentication.")
    case .wrongKeys:
      return check(.failed, "The chip does not have the private key of DG14: it is not the original.")
    }
  }

  // MARK: - Active Authentication

  static func activeAuthentication(
    _ dump: DocumentDump, _ coverage: [Int: PassiveAuthentication.Coverage]
  ) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.activeAuthentication, status, detail) }
    let key: PublicKey
    switch dump.content.dataGroup15 {
    case nil: return check(.skipped, absence(of: .dg15, "Active Authentication", dump))
    case .failure(let error)?: return check(.unsupported, error.failure.cause)
    case .success(let group)?: key = group.publicKey
    }
    guard let evidence = dump.evidence.activeAuthentication else {
      return check(.skipped, "The document offers Active Authentication, which was not done.")
    }
    switch evidence.judge(key, (try? dump.content.dataGroup14?.get())?.securityInfos) {
    case .proven(let how):
      return vouched(.activeAuthentication, .dg15, coverage, "The chip has the private key of DG15 (\(how)).")
    case .refused(.none): return check(.failed, "The chip ended the session before it could be asked to sign.")
    case .refused(let status): return check(.failed, "The chip refused Active Authentication (status \(status)).")
    case .wrong(let reason): return check(.failed, reason)
    case .unsupported(let reason): return check(.unsupported, reason)
    }
  }

  // MARK: - PACE with Chip Authentication Mapping

  static func paceChipAuthentication(_ dump: DocumentDump) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.paceChipAuthentication, status, detail) }
    if let status = dump.evidence.mappingRefusal {
      return check(.failed, "The chip refused the Chip Authentication Mapping that it offers (status \(status)).")
    }
    guard let evidence = dump.evidence.paceChipAuthentication else {
      return check(
        .skipped,
        dump.content.offers(Arc.paceChipAuthenticationMapping)
          ? "The document offers PACE with Chip Authentication Mapping, and was opened in another way."
          : "The document does not offer PACE with Chip Authentication Mapping.")
    }
    let security: EFCardSecurity
    switch dump.content.cardSecurity {
    case nil:
      let reason = dump.omissions.first { $0.file == .cardSecurity }?.reason ?? "It was not asked for."
      return check(.failed, "EF.CardSecurity, which holds the chip's key, was not read. \(reason)")
    case .failure(let error)?: return check(.failed, error.failure.cause)
    case .success(let file)?: security = file
    }
    switch security.signatureProblem {
    case nil: break
    case .undecidable(.unsupported(let algorithm))?:
      // Unlike EF.SOD, nothing else vouches for this file: a copy could say anything here to be let off.
      return check(.failed, "EF.CardSecurity is signed with an unsupported algorithm: \(algorithm).")
    case .some: return check(.failed, "The signature of EF.CardSecurity is wrong.")
    }
    switch evidence.problem(security.securityInfos) {
    case nil:
      let signer = security.signedData.signers.first.flatMap { try? security.signedData.verify($0).get().subject } ?? ""
      return check(
        .passed, "The chip has the private key of EF.CardSecurity, which the certificate inside it signed (\(signer)).")
    case .dataMissing?: return check(.failed, "The chip sent no chip authentication data in the last step of PACE.")
    case .dataMalformed?:
      return check(.failed, "The chip authentication data in the last step of PACE are malformed.")
    case .keyMissing?:
      return check(.failed, "EF.CardSecurity has no key in the group of PACE.")
    case .keyUnusable(let reason)?: return check(.failed, reason)
    case .keyDiffers?:
      return check(.failed, "The chip does not have the private key of EF.CardSecurity: it is not the original.")
    }
  }

  // MARK: - Terminal Authentication

  static func terminalAuthentication(_ dump: DocumentDump) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.terminalAuthentication, status, detail) }
    guard let evidence = dump.evidence.terminalAuthentication else {
      if dump.content.offers(Arc.terminalAuthentication) {
        return check(.skipped, "The document offers Terminal Authentication, and no certificates for it were given.")
      }
      return check(.skipped, absence(of: .dg14, "Terminal Authentication", dump))
    }
    let authorities = evidence.authorities.isEmpty ? "none" : evidence.authorities.joined(separator: ", ")
    switch evidence.outcome {
    case .accepted: return check(.passed, "The chip accepted \(evidence.chain.last ?? "the terminal").")
    case .noChain:
      return check(
        .skipped, "None of the certificates given leads to an authority that the chip knows (\(authorities)).")
    case .chipNotAuthenticated:
      return check(.skipped, "The chip was not authenticated before, which Terminal Authentication needs.")
    case .refused(let step, let status): return check(.failed, "The chip refused \(step) (status \(status)).")
    }
  }

  // MARK: - Words

  /// A key proves something only where EF.SOD vouches for the file that it came from.
  private static func vouched(
    _ id: Check.ID, _ file: ElementaryFile, _ coverage: [Int: PassiveAuthentication.Coverage], _ detail: String
  ) -> Check {
    guard let number = file.dataGroup, coverage[number] == .matches else {
      return Check(id, .failed, "\(detail) EF.SOD does not vouch for \(file.name), so this says nothing.")
    }
    return Check(id, .passed, detail)
  }

  /// - Parameter file: the data group that would tell of the offer.
  private static func absence(of file: ElementaryFile, _ name: String, _ dump: DocumentDump) -> String {
    if dump[file] == nil, let number = file.dataGroup, dump.content.listedDataGroups.contains(number) {
      return "\(file.name), which would tell of \(name), was not read."
    }
    return "The document does not offer \(name)."
  }
}
