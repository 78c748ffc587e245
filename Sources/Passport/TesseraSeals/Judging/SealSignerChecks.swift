import TesseraCryptography
import TesseraVerification

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The checks of one certificate that a seal names as its signer's: the chain to a country signer, revocation, validity
/// and the types of documents (Doc 9303-13, appendix D; Doc 9303-12, 7.1.3).
struct SealSignerChecks {
  let chain: JudgedCheck
  let revocation: JudgedCheck
  let validity: JudgedCheck
  let documentType: JudgedCheck
  /// The country signers from the signer's issuer on.
  let path: [CountrySigner]

  static let noAnchors = "No country certificates are known, so the signer was not verified."

  /// - Parameter isVerified: whether the certificate verifies the signature, so that it covers what the seal says.
  init(
    _ signer: Certificate, _ evidence: SealEvidence, _ content: SealContent, isVerified: Bool, trust: TrustMaterial,
    at date: Date
  ) {
    let trace = SignerTrace(signer, trust: trust, at: content.signedOn?.start ?? signer.notBefore)
    path = trace.path
    chain =
      Chain(
        signer: signer, trace: trace, evidence: evidence, content: content, isVerified: isVerified, trust: trust
      ).judged
    revocation = Self.revocation(signer, trace, trust, date)
    validity = Self.validity(signer, trace, content.signedOn, at: date)
    documentType = Self.documentType(signer, content.documentType, isAccusing: !trust.isEmpty)
  }

  // MARK: - Revocation

  private static func revocation(
    _ signer: Certificate, _ trace: SignerTrace, _ trust: TrustMaterial, _ date: Date
  ) -> JudgedCheck {
    if case .noAnchors = trace.result { return JudgedCheck(SealCheck(.revocation, .skipped, noAnchors)) }
    let result = RevocationCheck(signer, issuers: trace.path.links, trust: trust, at: date, role: "signer of the seal")
    let check = SealCheck(.revocation, result.check.status, result.check.detail)
    guard result.check.status == .failed else { return JudgedCheck(check) }
    return result.isRevoked
      ? JudgedCheck(check, SealFault(.validity, .signerRevoked, .revokedCertificate))
      : JudgedCheck(check, SealFault(.validity, .revocationNotDecided, nil))
  }

  // MARK: - Validity

  /// A seal states a day without a time zone, and some issuers sign before their certificate's first second.
  private static let tolerance: Double = 86_400

  private static func validity(
    _ signer: Certificate, _ trace: SignerTrace, _ signedOn: SealDate?, at date: Date
  ) -> JudgedCheck {
    if case .noAnchors = trace.result { return JudgedCheck(SealCheck(.validity, .skipped, noAnchors)) }
    func failed(_ detail: String, _ indication: SealStatus.Indication?) -> JudgedCheck {
      JudgedCheck(SealCheck(.validity, .failed, detail), SealFault(.validity, .signerNotValid, indication))
    }
    let signed = signedOn.map { " The seal states that it was signed on \($0)." } ?? ""
    // A seal is judged by the certificate at the inspection, not at the signature.
    if let problem = problem(signer, "The signer's certificate", at: date) {
      return failed(problem + signed, .expiredCertificate)
    }
    if let signedOn {
      if signedOn.start > date.addingTimeInterval(tolerance) {
        return failed("The seal states that it was signed later than the given date (\(signedOn)).", nil)
      }
      let usage = signer.privateKeyUsage
      let start = max(signer.notBefore, usage.lowerBound).addingTimeInterval(-tolerance)
      if signedOn.start < start || signedOn.start > usage.upperBound.addingTimeInterval(tolerance) {
        return failed("The signer's key was not to sign when the seal was signed, as it states (\(signedOn)).", nil)
      }
    }
    let until = "The signer's certificate is valid until \(signer.notAfter.day)"
    guard let issuer = trace.path.first?.certificate else {
      return JudgedCheck(SealCheck(.validity, .skipped, "\(until), but its country signer is not known."))
    }
    if let problem = problem(issuer, "The country signer's certificate", at: date) {
      return failed(problem, .expiredCertificate)
    }
    guard issuer.notBefore <= signer.notBefore, signer.notBefore <= issuer.notAfter else {
      return failed(
        "The country signer's certificate was not valid when the signer's was issued (\(signer.notBefore.day)).", nil)
    }
    return JudgedCheck(
      SealCheck(.validity, .passed, "\(until), the country signer's until \(issuer.notAfter.day).\(signed)"))
  }

  private static func problem(_ certificate: Certificate, _ name: String, at date: Date) -> String? {
    if date < certificate.notBefore { return "\(name) is not valid before \(certificate.notBefore.day)." }
    return date > certificate.notAfter ? "\(name) expired on \(certificate.notAfter.day)." : nil
  }

  // MARK: - Document type

  /// A code of one letter stands for all that begin with it (Doc 9303-12, 7.1.1).
  private static func documentType(_ signer: Certificate, _ code: String?, isAccusing: Bool) -> JudgedCheck {
    func check(_ status: Check.Status, _ detail: String) -> SealCheck { SealCheck(.documentType, status, detail) }
    switch signer.documentTypes {
    case .all: return JudgedCheck(check(.passed, "The signer may sign documents of every type."))
    case .malformed:
      return JudgedCheck(
        check(.failed, "Which types of documents the signer may sign cannot be read: its list of them is malformed."),
        SealFault(.chain, .signerNotAccepted, .invalidDocumentType))
    case .some(let stated):
      let types = stated.map { $0.uppercased().filter { $0 != "<" && $0 != " " } }.filter { !$0.isEmpty }
      let list = types.isEmpty ? "none" : types.prefix(20).joined(separator: ", ")
      guard let code, !code.isEmpty else {
        return JudgedCheck(
          check(.skipped, "The signer may sign documents of the types \(list); the seal does not state its type."))
      }
      if types.contains(where: code.hasPrefix) {
        return JudgedCheck(check(.passed, "The signer may sign documents of the type \(code)."))
      }
      let isUnderstood = !types.isEmpty && code.utf8.first.map { (0x41...0x5A).contains($0) } == true
      return JudgedCheck(
        check(.failed, "The signer may sign documents of the types \(list), but this one is of type \(code)."),
        SealFault(
          .chain, isAccusing && isUnderstood ? .signer : .signerNotAccepted, .invalidDocumentType,
          isProof: isAccusing && isUnderstood))
    }
  }
}
