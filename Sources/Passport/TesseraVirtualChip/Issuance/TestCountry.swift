public import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the authorities of a test country publish. Their private keys are public and must not be trusted.
public struct TestCountry: Sendable {
  /// The certificates of the Country Signing Certification Authority (CSCA), the newest first. A certificate that is
  /// not self-signed is a link certificate.
  public let countrySigners: [Certificate]
  /// The certificates of the document signers, as the ICAO PKD publishes them.
  public let documentSigners: [Certificate]
  /// Certificate revocation lists (CRL) in DER.
  public let revocationLists: [[UInt8]]
  /// Signs visible digital seals and barcodes of ICAO's datastructure.
  package let barcodeSigner: Issuer
  /// Signs VDS-NC.
  package let nonConstrainedSigner: Issuer
  /// The certificates of the signers of seals, as the ICAO PKD publishes them.
  public var sealSigners: [Certificate] { [barcodeSigner.certificate, nonConstrainedSigner.certificate] }
  /// The authority that issued the certificate revocation lists.
  package let authority: CountryAuthority

  /// A CSCA master list (Doc 9303-12, 9) with `countrySigners`: a CMS `SignedData` in DER. Each call signs a new one.
  ///
  /// - Throws: `CryptographyError` if OpenSSL fails.
  public func masterList() throws -> [UInt8] {
    try MasterListBuilder(countrySigners).sign(
      by: authority.masterListSigner(), countrySigner: authority.issuer.certificate)
  }
}

extension TestCountry {
  /// A country with the document signer that it certified.
  struct Issuance {
    let country: TestCountry
    let documentSigner: Issuer
    /// The certificate with which the authority verifies the signer's: self-signed or a link certificate.
    let countrySigner: Certificate
    /// When the document signer signs: yesterday, or while an expired certificate was valid.
    let signingTime: Date
  }

  /// Issues the certificates and the CRL for one document.
  ///
  /// - Parameter documentCode: The document code of the MRZ, one or two letters.
  static func issue(_ issuance: DocumentIssuance, documentCode: String, now: Date) throws -> Issuance {
    let deviations = issuance.deviations
    let identity = deviations.contains(.foreignCountry) ? CountryAuthority.Identity.foreign : .utopia
    var authority: CountryAuthority
    var countrySigners: [Certificate] = []
    if deviations.contains(.keyRollover) {
      let pair = try CountryAuthority.rollover(issuance.countrySigner, identity, now: now)
      authority = pair.present
      countrySigners = [pair.present.issuer.certificate, pair.former.issuer.certificate]
    } else {
      authority = try CountryAuthority(issuance.countrySigner, of: .countrySigner, identity, now: now)
      countrySigners = [authority.issuer.certificate]
    }
    let hasExpired = deviations.contains(.expiredSigner)
    let documentTypes = deviations.contains(.documentType) ? [documentCode == "I" ? "P" : "I"] : [documentCode]
    let signer = try authority.documentSigner(
      issuance.documentSigner, documentTypes: documentTypes, hasExpired: hasExpired,
      keyUsage: deviations.contains(.keyUsage) ? "keyEncipherment" : nil, isMinimal: issuance.hasMinimalSigner)

    let countrySigner = authority.issuer.certificate
    if deviations.contains(.unknownCountrySigner) {
      authority = try CountryAuthority(issuance.countrySigner, of: .otherCountrySigner, identity, now: now)
      countrySigners = [authority.issuer.certificate]
    }
    let revoked =
      deviations.contains(.revokedSigner)
      ? CountryAuthority.SerialNumber.documentSigner : CountryAuthority.SerialNumber.unrelated
    let revocationLists =
      deviations.contains(.noRevocationList)
      ? []
      : [try authority.revocationList(revoking: revoked, isStale: deviations.contains(.staleRevocationList))]
    return Issuance(
      country: try TestCountry(
        countrySigners: countrySigners, documentSigners: [signer.certificate], revocationLists: revocationLists,
        barcodeSigner: authority.barcodeSigner(), nonConstrainedSigner: authority.nonConstrainedSigner(),
        authority: authority),
      documentSigner: signer, countrySigner: countrySigner,
      signingTime: now.addingTimeInterval(hasExpired ? -350 * 86_400 : -86_400))
  }
}
