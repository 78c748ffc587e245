public import TesseraCryptography

/// What the authorities of a test country publish. Their private keys are public and must not be trusted.
public struct TestCountry: Sendable {
  /// The certificates of the Country Signing Certification Authority (CSCA), the newest first. A certificate that is
  /// not self-signed is a link certificate.
  public let countrySigners: [Certificate]
  /// The certificates of the document signers, as the ICAO PKD publishes them.
  public let documentSigners: [Certificate]
  /// Certificate revocation lists (CRL) in DER.
  public let revocationLists: [[UInt8]]
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
