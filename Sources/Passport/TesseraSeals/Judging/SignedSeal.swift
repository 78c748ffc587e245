import TesseraCryptography
import TesseraVerification

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The signature of a seal and its signer: of all certificates that the seal names, the one that verifies it.
struct SignedSeal {
  let signature: JudgedCheck
  let chain: JudgedCheck
  let revocation: JudgedCheck
  let validity: JudgedCheck
  let documentType: JudgedCheck
  let certificate: Certificate?
  let source: String
  let path: [CountrySigner]
  let isVerified: Bool

  /// Judges the seal by each certificate that it names, since names repeat, and only the signature tells.
  static func judged(
    _ evidence: SealEvidence, _ content: SealContent, trust: TrustMaterial, at date: Date
  ) -> SignedSeal {
    guard let signature = evidence.signature else { return SignedSeal(unsigned: evidence) }
    let most = SealSigner.maximumCandidates
    let named = evidence.signer.candidates(in: trust, limit: most + 1)
    let tried = named.prefix(most).map { candidate in
      let result = SealSignature(signature, of: evidence, by: candidate.certificate, key: trust.keys.key)
      return SignedSeal(candidate, result, evidence, content, trust, date)
    }
    let best =
      // A certificate may be there in several copies, of which one can be damaged: only if each proves something against
      // the seal is that proven.
      tried.first { $0.isVerified && $0.faults.isEmpty }
      ?? tried.first { $0.isVerified && !$0.faults.contains(where: \.isProof) }
      ?? tried.first(where: \.isVerified)
      // If one key leaves it open, it is not proven that the signature is wrong.
      ?? tried.first { !$0.signature.faults.contains(where: \.isProof) }
      ?? tried.first
    // The certificates that were not tried may say otherwise.
    if named.count > most, let best, best.faults.contains(where: \.isProof) { return SignedSeal(undecidedAfter: most) }
    return best ?? SignedSeal(unknown: evidence)
  }

  private init(
    _ candidate: SealCandidate, _ result: SealSignature, _ evidence: SealEvidence, _ content: SealContent,
    _ trust: TrustMaterial, _ date: Date
  ) {
    let checks = SealSignerChecks(
      candidate.certificate, evidence, content, isVerified: result.isVerified, trust: trust, at: date)
    signature = Self.signature(result)
    chain = checks.chain
    revocation = checks.revocation
    validity = checks.validity
    documentType = checks.documentType
    (certificate, source, path) = (candidate.certificate, candidate.source, checks.path)
    isVerified = result.isVerified
  }

  private var faults: [SealFault] { [signature, chain, revocation, validity, documentType].flatMap(\.faults) }

  // MARK: - Without a signer

  private init(unsigned evidence: SealEvidence) {
    self.init(
      JudgedCheck(
        SealCheck(.signature, .skipped, "The barcode is not signed, so nothing proves who made it."),
        SealFault(.certificate, .notSigned, nil)),
      "The barcode is not signed, so there is no signer to check.")
  }

  private init(unknown evidence: SealEvidence) {
    var indication = SealStatus.Indication.unknownCertificate
    // The signer of a visible digital seal is known, but is under no country signer.
    if case .unresolvable = evidence.signer, evidence.kind == .vds { indication = .untrustedCertificate }
    self.init(
      JudgedCheck(
        SealCheck(.signature, .skipped, evidence.signer.absence),
        SealFault(.certificate, .unknownSigner, indication)),
      "The certificate of the signer is not known.")
  }

  private init(undecidedAfter count: Int) {
    self.init(
      JudgedCheck(
        SealCheck(
          .signature, .unsupported,
          "More than \(count) certificates have the reference that the seal states; the first \(count) do not decide."),
        SealFault(.signature, .signature, nil)),
      "It is not known which of many certificates is that of the signer.")
  }

  private init(_ signature: JudgedCheck, _ reason: String) {
    self.signature = signature
    chain = JudgedCheck(SealCheck(.chain, .skipped, reason))
    revocation = JudgedCheck(SealCheck(.revocation, .skipped, reason))
    validity = JudgedCheck(SealCheck(.validity, .skipped, reason))
    documentType = JudgedCheck(SealCheck(.documentType, .skipped, reason))
    (certificate, source, path, isVerified) = (nil, "", [], false)
  }

  // MARK: - Signature

  private static func signature(_ result: SealSignature) -> JudgedCheck {
    func check(_ status: Check.Status, _ detail: String) -> SealCheck { SealCheck(.signature, status, detail) }
    switch result {
    case .valid: return JudgedCheck(check(.passed, "The signer signed the content of the seal."))
    case .validOnOtherCurve:
      return JudgedCheck(
        check(.failed, "The key of the signer is on another curve than the algorithm that the seal names."),
        SealFault(.signature, .signature, .invalidSignature))
    case .wrong:
      return JudgedCheck(
        check(.failed, "The signature is wrong: the signer did not sign this content."),
        SealFault(.signature, .data, .invalidSignature, isProof: true))
    case .wrongLength(let actual, let expected):
      return JudgedCheck(
        check(
          .failed,
          "The signature is wrong: it has \(actual) bytes, and one by the signer's key has \(expected)."),
        SealFault(.signature, .data, .wrongFormat, isProof: true))
    case .undecidable(let reason):
      return JudgedCheck(check(.unsupported, reason), SealFault(.signature, .signature, nil))
    }
  }
}
