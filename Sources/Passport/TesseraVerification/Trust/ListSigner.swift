import TesseraCryptography

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The signer of a master list or a deviation list.
package struct ListSigner: Sendable {
  package let certificate: Certificate
  /// Other certificates that the list carries beside it, normally the signer's country signer.
  package let embedded: [Certificate]
  /// When the list was signed, as the signer states.
  package let signedAt: Date?

  /// Verifies every signature of the list.
  ///
  /// - Parameter purpose: the key purpose that the signer's certificate must have.
  /// - Throws: `TrustError.listDamaged` with the reason.
  init(_ signedData: SignedData, purpose: String) throws {
    guard let first = signedData.signers.first else { throw TrustError.listDamaged("Nobody signed it.") }
    var ofFirst: Certificate?
    for signer in signedData.signers {
      switch signedData.verify(signer) {
      case .success(let certificate): ofFirst = ofFirst ?? certificate
      case .failure(.noCertificate): throw TrustError.listDamaged("It lacks the certificate of its signer.")
      case .failure(.undecidable(let error)): throw TrustError.listDamaged(error.failure.cause)
      case .failure: throw TrustError.listDamaged("Its signature is wrong.")
      }
    }
    guard let certificate = ofFirst else { throw TrustError.listDamaged("It lacks the certificate of its signer.") }
    guard certificate.extendedKeyUsage?.contains(purpose) ?? false else {
      throw TrustError.listDamaged("Its signer has a certificate for another purpose.")
    }
    self.certificate = certificate
    embedded = signedData.certificates.filter { $0 != certificate }
    signedAt = first.signingTime
  }

  /// Whether the certificates beside the signer's are unchanged. The signature of the list does not cover them, so their
  /// own signatures, and those in the list, must tell.
  ///
  /// - Parameter listed: the certificates of the list, which its signature covers.
  func embedsOnlyGenuine(among listed: [Certificate]) -> Bool {
    let pool = IssuerIndex(embedded + listed)
    func isSigned(_ certificate: Certificate) -> Bool {
      pool.candidates(for: certificate).contains {
        (try? pool.keys.isSigned(certificate, by: pool.certificates[$0])) == true
      }
    }
    return embedded.allSatisfy { certificate in
      let twins = listed.filter {
        $0.issuerName.isSame(as: certificate.issuerName) && $0.serialNumberBytes == certificate.serialNumberBytes
      }
      // Some countries gave one number to two certificates; the signature of this one tells.
      guard twins.isEmpty else { return twins.contains(certificate) || isSigned(certificate) }
      // Its key identifiers tell whether it claims to be self-signed, even if its names were changed. Without them, equal
      // names do, but a link certificate can have equal names too.
      guard let keyIdentifier = certificate.authorityKeyIdentifier else {
        guard certificate.issuerName.isSame(as: certificate.subjectName) else { return true }
        return isSigned(certificate)
      }
      return keyIdentifier != certificate.subjectKeyIdentifier
        || (try? pool.keys.isSigned(certificate, by: certificate)) == true
    }
  }

  /// Whether the certificate was valid when the list was signed, and the list was not signed in the future.
  func problem(at now: Date) -> String? {
    let time = signedAt ?? now
    guard time <= now.addingTimeInterval(86_400) else { return "It was signed in the future: check the clock." }
    guard certificate.notBefore <= time else { return "Its signer's certificate was not valid yet." }
    let usage = certificate.privateKeyUsage
    guard usage.lowerBound.addingTimeInterval(-86_400) <= time, time <= usage.upperBound.addingTimeInterval(86_400)
    else {
      return "The key of its signer was not to sign then."
    }
    return certificate.notAfter >= time ? nil : "Its signer's certificate had expired."
  }
}
