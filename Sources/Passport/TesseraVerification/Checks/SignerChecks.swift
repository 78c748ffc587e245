import TesseraCryptography
import TesseraPassport
import TesseraSmartCard

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The checks of the signer of EF.SOD: the chain to a country signer, revocation and validity.
struct SignerChecks {
  let chain: Check
  let revocation: Check
  let validity: Check
  /// Why the chain speaks against the document; nil if it does not.
  let proof: Proof.Kind?

  /// Whether a certificate on the way to the anchor is revoked.
  let isRevoked: Bool

  /// Whether a country signer verifies the document signer's certificate.
  var hasKnownIssuer: Bool { !path.isEmpty }

  private let signer: Certificate
  private let path: [CountrySigner]

  init(_ signer: Certificate, zone: MachineReadableZone?, trust: TrustMaterial, signedAt: Date?, at date: Date) {
    self.signer = signer
    let trace = SignerTrace(signer, trust: trust, at: signedAt ?? signer.notBefore)
    path = trace.path
    (chain, proof) = Self.chain(trace, signer, zone, trust)
    let revocation = RevocationCheck(signer, issuers: path.links, trust: trust, at: date)
    (self.revocation, isRevoked) = (revocation.check, revocation.isRevoked)
    validity = Self.validity(signer, trace, signedAt: signedAt, at: date)
  }

  /// The checks if there is no signature to trace.
  ///
  /// - Parameter problem: what the certificate that is stated to be the signer's says against the document.
  static func without(
    _ trust: TrustMaterial, _ problem: SignerProfile.Problem?
  ) -> (chain: Check, revocation: Check, validity: Check) {
    let reason = trust.isEmpty ? noAnchors : "The signature of EF.SOD was not verified, so there is no signer to check."
    return (
      problem.map { Check(.passiveChain, .failed, $0.sentence) } ?? Check(.passiveChain, .skipped, reason),
      Check(.passiveRevocation, .skipped, reason),
      Check(.passiveValidity, .skipped, reason)
    )
  }

  private static let noAnchors = "No country certificates are known, so the document signer was not verified."

  // MARK: - Chain

  private static func chain(
    _ trace: SignerTrace, _ signer: Certificate, _ zone: MachineReadableZone?, _ trust: TrustMaterial
  ) -> (Check, Proof.Kind?) {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.passiveChain, status, detail) }
    /// Without its issuer too, a signer may contradict the document.
    func contradiction(_ reason: String, _ status: Check.Status) -> (Check, Proof.Kind?) {
      guard let problem = SignerProfile.contradiction(signer, zone) else { return (check(status, reason), nil) }
      return (check(.failed, "\(problem.sentence) \(reason)"), .signerOfOtherDocuments)
    }
    switch trace.result {
    case .noAnchors: return (check(.skipped, noAnchors), nil)
    case .unknownIssuer(let country, let known):
      let others =
        known == 0
        ? "No certificate of \(country) is known."
        : "\(known) certificate\(known == 1 ? "" : "s") of \(country) \(known == 1 ? "is" : "are") known, but not the "
          + "one that issued it."
      return contradiction("There is no anchor for the document signer of \(country). \(others)", .failed)
    case .signatureWrong(let issuer):
      return (
        check(.failed, "The signature of the document signer's certificate is wrong: \(issuer) did not issue it."),
        .issuerDidNotSign
      )
    case .undecidable(let reason): return contradiction(reason, .unsupported)
    case .traced(let path):
      guard let issuer = path.first else {
        return (check(.failed, "There is no anchor for the document signer."), nil)
      }
      if let problem = SignerProfile(signer, issuer: issuer.certificate, zone).problem {
        return (check(.failed, problem.sentence), problem.concernsDocument ? .signerOfOtherDocuments : nil)
      }
      if let problem = trace.nameProblem(of: signer, "document signer", trust) { return (check(.failed, problem), nil) }
      return (check(.passed, "The document signer is traced to \(names(path)).\(reservation(path))"), nil)
    }
  }

  private static func names(_ path: [CountrySigner]) -> String {
    path.map { "\($0.certificate.subject) (serial number \($0.certificate.serialNumber))" }
      .joined(separator: ", signed by ")
  }

  private static func reservation(_ path: [CountrySigner]) -> String {
    guard let last = path.last, last.status == .endorsed else { return "" }
    return " The issuer of the last one is not known; \(last.sources.first?.name ?? "its source") vouches for it."
  }

  // MARK: - Validity

  /// Signers state their local time as UTC, and some sign before their certificate's first second.
  private static let signingTimeTolerance: Double = 86_400

  private static func validity(_ signer: Certificate, _ trace: SignerTrace, signedAt: Date?, at date: Date) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.passiveValidity, status, detail) }
    if case .noAnchors = trace.result { return check(.skipped, noAnchors) }
    if let problem = problem(signer, "The document signer's certificate", at: date) { return check(.failed, problem) }
    if let signedAt,
      signedAt < signer.notBefore.addingTimeInterval(-signingTimeTolerance)
        || signedAt > signer.notAfter.addingTimeInterval(signingTimeTolerance)
    {
      return check(
        .failed, "The document signer's certificate was not valid when it signed, as it states (\(signedAt.day)).")
    }
    if let signedAt {
      if signedAt > date.addingTimeInterval(signingTimeTolerance) {
        return check(.failed, "The document signer states that it signed later than the given date (\(signedAt.day)).")
      }
      let usage = signer.privateKeyUsage
      if signedAt < usage.lowerBound.addingTimeInterval(-signingTimeTolerance)
        || signedAt > usage.upperBound.addingTimeInterval(signingTimeTolerance)
      {
        return check(
          .failed, "The key of the document signer was not to sign when it signed, as it states (\(signedAt.day)).")
      }
    }
    let until = "The document signer's certificate is valid until \(signer.notAfter.day)"
    guard let issuer = trace.path.first?.certificate else {
      return check(.skipped, "\(until), but its country signer is not known.")
    }
    if let problem = problem(issuer, "The country signer's certificate", at: date) { return check(.failed, problem) }
    // Certificates begin at midnight of a local time, too.
    guard issuer.notBefore <= signer.notBefore.addingTimeInterval(signingTimeTolerance),
      signer.notBefore <= issuer.notAfter
    else {
      return check(
        .failed,
        "The country signer's certificate was not valid when the document signer's was issued "
          + "(\(signer.notBefore.day)).")
    }
    return check(.passed, "\(until), the country signer's until \(issuer.notAfter.day).")
  }

  private static func problem(_ certificate: Certificate, _ name: String, at date: Date) -> String? {
    if date < certificate.notBefore { return "\(name) is not valid before \(certificate.notBefore.day)." }
    return date > certificate.notAfter ? "\(name) expired on \(certificate.notAfter.day)." : nil
  }

  // MARK: - Report

  /// The signer and its country signers, for the report.
  func certificates(embedded: Bool, _ trust: TrustMaterial) -> [Report.Certificate] {
    let published = trust.documentSigners.first { !embedded && $0.certificate == signer }?.sources.first?.name
    return [
      Report.Certificate(
        signer, .documentSigner, source: embedded ? "EF.SOD" : published ?? "PKD", keys: trust.keys)
    ]
      + path.map { entry in
        var role = Report.Certificate.Role.countrySigner
        if case .linked = entry.status { role = .link }
        return Report.Certificate(entry.certificate, role, source: entry.sources.first?.name ?? "", keys: trust.keys)
      }
  }
}
