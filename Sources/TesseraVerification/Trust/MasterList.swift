import TesseraCryptography

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A CSCA master list (Doc 9303-12, 8): certificates of country signers, signed by one country.
package struct MasterList: Sendable {
  /// `id-icao-cscaMasterList`.
  package static let contentType = "2.23.136.1.1.2"
  /// `id-icao-cscaMasterListSigningKey`.
  package static let keyPurpose = "2.23.136.1.1.3"

  /// The certificates in the order of the list, each as published.
  package let certificates: [Certificate]
  /// The positions of entries that are no certificates.
  package let malformedEntries: [Int]
  package let signer: ListSigner

  /// A world-wide list has fewer than a thousand.
  private static let maximumCertificates = 50_000

  /// Decodes the list and verifies its signature with the certificate of its signer. Whether that one is trusted is
  /// decided by `ListSigner.path`.
  ///
  /// - Throws: `TrustError.listDamaged` if it is not a master list, or the signature is wrong.
  package init(_ bytes: [UInt8]) throws {
    let signedData: SignedData
    do {
      signedData = try SignedData(bytes)
    } catch {
      throw TrustError.listDamaged((error as? CryptographyError)?.failure.cause ?? "")
    }
    guard signedData.contentType == Self.contentType else {
      throw TrustError.listDamaged("Its content is not a list of country signers.")
    }
    signer = try ListSigner(signedData, purpose: Self.keyPurpose)
    (certificates, malformedEntries) = try Self.entries(signedData.content)
    guard !signedData.hasMalformedCertificates, signer.embedsOnlyGenuine(among: certificates) else {
      throw TrustError.listDamaged("A certificate beside that of its signer was changed.")
    }
  }

  private static func entries(_ content: [UInt8]) throws -> ([Certificate], [Int]) {
    do {
      // CscaMasterList ::= SEQUENCE { version INTEGER, certList SET OF Certificate }
      let list = try DERValue(content[...], "master list")
      guard list.encoded.count == content.count else { throw CryptographyError.malformed("master list") }
      var fields = list.elements
      _ = try fields.next(DERValue.Tag.integer, "version")
      var entries = try fields.next(DERValue.Tag.set, "certificate list").elements
      var certificates: [Certificate] = []
      var malformed: [Int] = []
      while !entries.isEmpty {
        let entry = try entries.next("certificate list")
        do {
          certificates.append(try Certificate(der: Array(entry.encoded)))
        } catch {
          malformed.append(certificates.count + malformed.count)
        }
        guard certificates.count + malformed.count <= maximumCertificates else {
          throw CryptographyError.malformed("a master list with too many certificates")
        }
      }
      return (certificates, malformed)
    } catch {
      throw TrustError.listDamaged((error as? CryptographyError)?.failure.cause ?? "")
    }
  }
}

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
    for signer in signedData.signers {
      switch signedData.verify(signer) {
      case .success: continue
      case .failure(.noCertificate): throw TrustError.listDamaged("It lacks the certificate of its signer.")
      case .failure(.undecidable(let error)): throw TrustError.listDamaged(error.failure.cause)
      case .failure: throw TrustError.listDamaged("Its signature is wrong.")
      }
    }
    guard let certificate = signedData.certificate(of: first) else {
      throw TrustError.listDamaged("It lacks the certificate of its signer.")
    }
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
    embedded.allSatisfy { certificate in
      let twins = listed.filter {
        $0.issuerName == certificate.issuerName && $0.serialNumberBytes == certificate.serialNumberBytes
      }
      guard twins.isEmpty || twins.contains(certificate) else { return false }
      // Its key identifiers tell whether it claims to be self-signed, even if its names were changed.
      let claimsOwnKey =
        certificate.authorityKeyIdentifier.map { $0 == certificate.subjectKeyIdentifier }
        ?? (certificate.issuerName == certificate.subjectName)
      return !claimsOwnKey || (try? certificate.isSigned(by: certificate.publicKey)) == true
    }
  }

  /// Whether the certificate was valid when the list was signed, and the list was not signed in the future.
  func problem(at now: Date) -> String? {
    let time = signedAt ?? now
    guard time <= now.addingTimeInterval(86_400) else { return "It was signed in the future: check the clock." }
    guard certificate.notBefore <= time else { return "Its signer's certificate was not valid yet." }
    return certificate.notAfter >= time ? nil : "Its signer's certificate had expired."
  }
}
