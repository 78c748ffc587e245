public import TesseraCryptography

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a certificate or a revocation list leads to, for display.
public struct CertificateAssessment: Sendable {
  /// Whether a trusted country signer verifies it, and no known revocation list revokes it.
  public let isTrusted: Bool
  /// What it is and who verifies it, or why nobody does: sentences.
  public let detail: String
  /// The country signers from the issuer on.
  public let path: [CountrySigner]

  /// - Parameters:
  ///   - certificate: of a country signer, a document signer or a list signer.
  ///   - trust: what is known of countries.
  ///   - date: the date for which validity is checked.
  public init(_ certificate: Certificate, trust: TrustMaterial, at date: Date = .now) {
    let isAuthority = certificate.isCountrySigner
    let kind =
      isAuthority ? "The certificate of a country signer" : "The certificate of a document signer or list signer"
    if let known = trust.countrySigner(fingerprint: certificate.fingerprint) {
      path = Array(trust.path(from: known).dropFirst())
      let revocation = Self.revocation(([known] + path).links, trust)
      isTrusted = revocation == nil
      detail =
        "\(kind). It is known from \(known.sources.last?.place ?? "a file")." + Self.validity(certificate, date)
        + (revocation ?? "")
      return
    }
    let trace = SignerTrace(certificate, trust: trust, at: certificate.notBefore)
    path = trace.path
    let isSelfSigned = path.isEmpty && (try? certificate.isSigned(by: certificate.publicKey)) == true
    switch trace.result {
    case .traced(let issuers):
      let own = RevocationCheck.Link(certificate: certificate, isSelfSigned: false)
      let revocation = Self.revocation([own] + issuers.links, trust)
      isTrusted = revocation == nil
      detail =
        "\(kind). \(issuers.first?.certificate.subject ?? "A country signer") issued it."
        + Self.validity(certificate, date) + (revocation ?? "")
    // A name is not a statement about the issuer if the certificate has signed itself.
    case .unknownIssuer where isSelfSigned, .signatureWrong where isSelfSigned, .undecidable where isSelfSigned:
      isTrusted = false
      detail = "\(kind). It is self-signed and not imported."
    case .noAnchors:
      isTrusted = false
      detail = "\(kind). No country certificates are known, so it leads nowhere."
    case .unknownIssuer(let country, let known):
      isTrusted = false
      detail =
        "\(kind). Its issuer is not known; \(known) other certificate\(known == 1 ? "" : "s") of \(country) "
        + "\(known == 1 ? "is" : "are")."
    case .signatureWrong(let issuer):
      isTrusted = false
      detail = "\(kind). Its signature is wrong: it names \(issuer) as its issuer, who did not sign it."
    case .undecidable(let reason):
      isTrusted = false
      detail = "\(kind). \(reason)"
    }
  }

  /// - Parameters:
  ///   - list: of a country.
  ///   - trust: what is known of countries.
  ///   - date: the date for which the age is checked.
  public init(_ list: RevocationList, trust: TrustMaterial, at date: Date = .now) {
    let kind =
      "A revocation list of \(list.thisUpdate.day) with \(list.count) certificate\(list.count == 1 ? "" : "s")."
    let issuer = trust.issuer(of: list)
    path = issuer.map(trust.path) ?? []
    isTrusted = issuer != nil
    let stale = list.nextUpdate.map { $0 < date ? " It is stale: the next one was due on \($0.day)." : "" } ?? ""
    if let issuer {
      detail = "\(kind) \(issuer.certificate.subject) issued it.\(stale)"
    } else if let obstacle = trust.obstacle(of: list) {
      detail = "\(kind) \(obstacle)"
    } else if trust.isSigned(list) == nil {
      detail = "\(kind) Its issuer, \(list.issuer), is not known."
    } else {
      detail = "\(kind) Its signature is wrong: \(list.issuer) did not sign it."
    }
  }

  /// What revocation lists say against the certificate and those that it leads to; nil for nothing.
  private static func revocation(_ chain: [RevocationCheck.Link], _ trust: TrustMaterial) -> String? {
    let revocation: RevocationCheck.Revocation?
    do {
      revocation = try RevocationCheck.revocation(in: chain, trust: trust)
    } catch {
      return " A revocation list of its country is malformed."
    }
    guard let revocation else { return nil }
    let name =
      revocation.certificate == chain.first?.certificate
      ? "It" : "The link certificate of \(revocation.certificate.subject)"
    return " \(name) was revoked on \(revocation.date.day), by the revocation list of "
      + "\(revocation.list.thisUpdate.day)."
  }

  private static func validity(_ certificate: Certificate, _ date: Date) -> String {
    if date < certificate.notBefore { return " It is not valid before \(certificate.notBefore.day)." }
    return date > certificate.notAfter
      ? " It expired on \(certificate.notAfter.day)." : " It is valid until \(certificate.notAfter.day)."
  }
}
