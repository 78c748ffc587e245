import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Traces the certificate of a signer to a country signer, a trust anchor (Doc 9303-12, 7.3).
struct SignerTrace: Sendable {
  enum Result: Sendable {
    /// The country signers from the signer's issuer on, each verified by the next.
    case traced([CountrySigner])
    /// No country signer is known at all.
    case noAnchors
    /// None of the country signers can be the issuer. The number counts those of the signer's country.
    case unknownIssuer(country: String, known: Int)
    /// The issuer is known by its key identifier, and did not sign the certificate.
    case signatureWrong(issuer: String)
    case undecidable(String)
  }

  let result: Result

  /// - Parameter time: when the signer signed; of several certificates with the issuer's key, one that was valid then
  ///   is preferred.
  init(_ certificate: Certificate, trust: TrustMaterial, at time: Date) {
    result = Self.trace(certificate, trust, time)
  }

  var path: [CountrySigner] {
    if case .traced(let path) = result { path } else { [] }
  }

  private static func trace(_ certificate: Certificate, _ trust: TrustMaterial, _ time: Date) -> Result {
    guard !trust.isEmpty else { return .noAnchors }
    let keyIdentifier = certificate.authorityKeyIdentifier
    let candidates = trust.candidates(keyIdentifier: keyIdentifier, name: certificate.issuerName)
    // Countries change their key and keep their name, so an equal name alone accuses nobody.
    func isStated(_ candidate: CountrySigner) -> Bool {
      keyIdentifier != nil && keyIdentifier == candidate.certificate.subjectKeyIdentifier
    }
    var problem: Result?
    // Several certificates can have the issuer's key: its own, and link certificates.
    var issuers: [CountrySigner] = []
    for candidate in candidates {
      do {
        if try trust.keys.isSigned(certificate, by: candidate.certificate) {
          issuers.append(candidate)
        } else if isStated(candidate) {
          problem = problem ?? .signatureWrong(issuer: candidate.certificate.subject)
        }
      } catch CryptographyError.keyMismatch {
        if isStated(candidate) { problem = problem ?? .signatureWrong(issuer: candidate.certificate.subject) }
      } catch {
        let reason = (error as? CryptographyError)?.failure.cause ?? "The signature cannot be verified."
        problem = problem ?? .undecidable(reason)
      }
    }
    let valid = issuers.filter { $0.certificate.notBefore <= time && time <= $0.certificate.notAfter }
    let chosen = (valid.isEmpty ? issuers : valid)
    if let issuer = chosen.first(where: { $0.status == .selfSigned }) ?? chosen.first {
      return .traced(trust.path(from: issuer))
    }
    if let problem { return problem }
    let country = certificate.issuerName.country ?? certificate.country ?? "an unnamed country"
    return .unknownIssuer(country: country, known: trust.countrySigners.count { $0.certificate.country == country })
  }
}
