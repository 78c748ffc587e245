import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Traces the certificate of a signer to a country signer, a trust anchor (Doc 9303-12, 7.3).
package struct SignerTrace: Sendable {
  package enum Result: Sendable {
    /// The country signers from the signer's issuer on, each verified by the next.
    case traced([CountrySigner])
    /// No country signer is known at all.
    case noAnchors
    /// None of the country signers can be the issuer. The number counts those of the signer's country.
    case unknownIssuer(country: String, known: Int)
    /// The issuer is known by its key identifier, and neither it nor another country signer of its country signed the
    /// certificate.
    case signatureWrong(issuer: String)
    case undecidable(String)
  }

  package let result: Result
  /// All country signers that verify the certificate: they have one key, and may have several names. The first begins
  /// `path`.
  package let issuers: [CountrySigner]

  /// - Parameter time: when the signer signed; of several certificates with the issuer's key, one that was valid then
  ///   is preferred.
  package init(_ certificate: Certificate, trust: TrustMaterial, at time: Date) {
    guard !trust.isEmpty else {
      (result, issuers) = (.noAnchors, [])
      return
    }
    let candidates = trust.candidates(keyIdentifier: certificate.authorityKeyIdentifier, name: certificate.issuerName)
    var search = Search(certificate, trust.keys)
    search.look(among: candidates)
    // The stated key may be wrong: then another one of the country signed.
    if search.issuers.isEmpty, let accused = search.accused {
      let country = accused.certificate.country
      let others = trust.countrySigners.filter { $0.certificate.country == country && !candidates.contains($0) }
      search.look(among: others)
    }
    issuers = search.issuers.sorted { Preference($0, certificate, time) < Preference($1, certificate, time) }
    result = issuers.first.map { .traced(trust.path(from: $0)) } ?? search.failure(trust)
  }

  package var path: [CountrySigner] {
    if case .traced(let path) = result { path } else { [] }
  }

  /// The country signers whose key signed a certificate.
  private struct Search {
    let certificate: Certificate
    let keys: KeyCache
    private(set) var issuers: [CountrySigner] = []
    /// The first one that the certificate states and that did not sign it.
    private(set) var accused: CountrySigner?
    private var undecided: String?

    init(_ certificate: Certificate, _ keys: KeyCache) { (self.certificate, self.keys) = (certificate, keys) }

    mutating func look(among candidates: [CountrySigner]) {
      for candidate in candidates {
        do {
          if try keys.isSigned(certificate, by: candidate.certificate) {
            issuers.append(candidate)
          } else {
            note(candidate)
          }
        } catch CryptographyError.keyMismatch {
          note(candidate)
        } catch {
          undecided = undecided ?? (error as? CryptographyError)?.failure.cause ?? "The signature cannot be verified."
        }
      }
    }

    /// Countries change their key and keep their name, so an equal name alone accuses nobody.
    private mutating func note(_ candidate: CountrySigner) {
      guard let stated = certificate.authorityKeyIdentifier, stated == candidate.certificate.subjectKeyIdentifier,
        certificate.issuerName.country.map({ $0 == candidate.certificate.country }) ?? true
      else { return }
      accused = accused ?? candidate
    }

    /// It is no proof if one of the certificates leaves it open.
    func failure(_ trust: TrustMaterial) -> Result {
      if let undecided { return .undecidable(undecided) }
      if let accused { return .signatureWrong(issuer: accused.certificate.subject) }
      let country = certificate.issuerName.country ?? certificate.country
      return .unknownIssuer(
        country: country ?? "an unnamed country",
        known: trust.countrySigners.count { $0.certificate.country == country })
    }
  }

  /// Which of several certificates with the issuer's key is shown and judged. The order of import does not matter.
  private struct Preference: Comparable {
    private let rank: Int
    private let notAfter: Date
    private let fingerprint: [UInt8]

    init(_ issuer: CountrySigner, _ certificate: Certificate, _ time: Date) {
      let own = issuer.certificate
      let isValid = own.notBefore <= time && time <= own.notAfter
      let hasName = own.subjectName.isSame(as: certificate.issuerName)
      rank = (isValid ? 0 : 4) + (hasName ? 0 : 2) + (issuer.status == .selfSigned ? 0 : 1)
      notAfter = own.notAfter
      fingerprint = issuer.fingerprint
    }

    static func < (left: Preference, right: Preference) -> Bool {
      if left.rank != right.rank { return left.rank < right.rank }
      if left.notAfter != right.notAfter { return left.notAfter > right.notAfter }
      return left.fingerprint.lexicographicallyPrecedes(right.fingerprint)
    }
  }
}

extension SignerTrace {
  /// Doc 9303-12, 7.1.1: the issuer of a certificate is the subject of the one that verifies it, unless the authority
  /// changed its name. Then a certificate of the authority says so.
  ///
  /// - Parameter role: what the report calls the signer.
  /// - Returns: one or two sentences; nil if the names agree.
  package func nameProblem(of signer: Certificate, _ role: String, _ trust: TrustMaterial) -> String? {
    guard let issuer = path.first?.certificate,
      !issuers.contains(where: { $0.certificate.subjectName.isSame(as: signer.issuerName) })
    else { return nil }
    let key = try? trust.keys.key(of: issuer)
    // Its key may stand there in another encoding.
    let stated = trust.countrySigners.lazy.map(\.certificate).filter(\.statesNameChange).contains { certificate in
      path.contains { $0.certificate == certificate }
        || key.map { (try? trust.keys.key(of: certificate))?.isSameKey(as: $0) ?? false } ?? false
    }
    guard !stated else { return nil }
    return "The \(role) names \(signer.issuer) as its issuer. The country signer that verifies it has the name "
      + "\(issuer.subject), and no certificate states a change of the name."
  }
}
