import TesseraCryptography
import TesseraPassport
import TesseraVerification

extension SealSignerChecks {
  /// The way from a signer to a country signer, its purpose, and whether both are of the country that issued the seal.
  struct Chain {
    let signer: Certificate
    let trace: SignerTrace
    let evidence: SealEvidence
    let content: SealContent
    let isVerified: Bool
    let trust: TrustMaterial

    var judged: JudgedCheck {
      switch trace.result {
      case .noAnchors:
        return JudgedCheck(
          SealCheck(.chain, .skipped, SealSignerChecks.noAnchors), fault(.noCountryCertificates))
      case .unknownIssuer(let country, let known):
        let others =
          known == 0
          ? "No certificate of \(country) is known."
          : "\(known) certificate\(known == 1 ? "" : "s") of \(country) \(known == 1 ? "is" : "are") known, but not "
            + "the one that issued it."
        return open("There is no anchor for the signer of \(country). \(others)", .failed, .unknownIssuer)
      case .signatureWrong(let issuer):
        return JudgedCheck(
          SealCheck(.chain, .failed, "The signature of the signer's certificate is wrong: \(issuer) did not issue it."),
          fault(.signer, isProof: true))
      case .undecidable(let reason): return open(reason, .unsupported, .signerNotVerified)
      case .traced(let path): return traced(path)
      }
    }

    private func traced(_ path: [CountrySigner]) -> JudgedCheck {
      guard let issuer = path.first?.certificate else {
        return open("There is no anchor for the signer.", .failed, .unknownIssuer)
      }
      if let contradiction = contradiction(issuer) { return contradiction }
      let problem =
        SealSignerProfile(signer, kind: evidence.kind, national: content.nationalPurposes).problem
        ?? trace.nameProblem(of: signer, "signer", trust)
      if let problem { return JudgedCheck(SealCheck(.chain, .failed, problem), fault(.signerNotAccepted)) }
      return JudgedCheck(SealCheck(.chain, .passed, "The signer is traced to \(names(path)).\(reservation(path))"))
    }

    private func fault(_ reason: SealReason, isProof: Bool = false) -> SealFault {
      SealFault(.chain, reason, .untrustedCertificate, isProof: isProof)
    }

    /// Without its issuer too, a signer may contradict the seal.
    private func open(_ detail: String, _ status: Check.Status, _ reason: SealReason) -> JudgedCheck {
      if let contradiction = contradiction(nil) {
        return JudgedCheck(
          SealCheck(.chain, .failed, "\(contradiction.check.detail) \(detail)"),
          contradiction.faults.first ?? fault(reason))
      }
      return JudgedCheck(SealCheck(.chain, status, detail), fault(reason))
    }

    // MARK: - Country

    /// The signer, its issuer and the zone in the seal must be of the country that the seal states.
    ///
    /// - Parameter issuer: the country signer; nil if it is not known.
    private func contradiction(_ issuer: Certificate?) -> JudgedCheck? {
      func failed(_ detail: String, isProof: Bool) -> JudgedCheck {
        JudgedCheck(
          SealCheck(.chain, .failed, detail), fault(isProof ? .signer : .signerNotAccepted, isProof: isProof))
      }
      let countries = [signer.country, issuer?.country].compactMap { $0?.uppercased() }
      if countries.isEmpty, issuer != nil {
        return failed("Neither the signer nor its country signer states a country.", isProof: false)
      }
      for country in countries where !CountryCode.matches(country, issuingState: evidence.issuer) {
        return failed(
          "A signer of \(country) may not sign seals of the issuing state \(shown(evidence.issuer)).",
          isProof: isUnderstood(country) && isKnown(evidence.issuer))
      }
      if let country = countries.first, let issuing = issuer?.country, !CountryCode.isSame(country, issuing) {
        return failed("The signer is of \(country), but its country signer is of \(issuing).", isProof: false)
      }
      // Without a right signature, nobody says that both belong together.
      guard isVerified, let state = content.zone?.zone.issuingState, !isSameState(state, evidence.issuer) else {
        return nil
      }
      return failed(
        "The seal states that it is of \(shown(evidence.issuer)), and the zone in it that it is of \(shown(state)).",
        isProof: isKnown(state) && isKnown(evidence.issuer))
    }

    /// A code that is not known contradicts nothing. Those of the known country signers are.
    private func isUnderstood(_ country: String) -> Bool {
      CountryCode.isKnown(country) || trust.countrySigners.contains { $0.certificate.country == country }
    }

    private func isKnown(_ state: String) -> Bool { !CountryCode.signers(ofIssuingState: state).isEmpty }

    /// Some states have several codes, for their classes of citizens and their territories.
    private func isSameState(_ state: String, _ other: String) -> Bool {
      state == other
        || !Set(CountryCode.signers(ofIssuingState: state)).isDisjoint(
          with: CountryCode.signers(ofIssuingState: other))
    }

    /// Short and printable, whatever the seal has there.
    private func shown(_ state: String) -> String {
      let letters = state.prefix(3).filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
      return letters.isEmpty ? "no known code" : letters
    }

    // MARK: - Text

    private func names(_ path: [CountrySigner]) -> String {
      path.map { "\($0.certificate.subject) (serial number \($0.certificate.serialNumber))" }
        .joined(separator: ", signed by ")
    }

    private func reservation(_ path: [CountrySigner]) -> String {
      guard let last = path.last, last.status == .endorsed else { return "" }
      return " The issuer of the last one is not known; \(last.sources.first?.name ?? "its source") vouches for it."
    }
  }
}
