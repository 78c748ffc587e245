import TesseraCryptography

/// How a test country issues a document: its keys, its signatures, and what is wrong with them.
package struct DocumentIssuance: Sendable, Equatable {
  /// A kind of key and the algorithm of its signatures.
  package struct Suite: Sendable, Equatable {
    package var key: IssuingKeyType
    package var algorithm: SignatureAlgorithm

    package init(_ key: IssuingKeyType, _ algorithm: SignatureAlgorithm) {
      self.key = key
      self.algorithm = algorithm
    }

    package static let p256 = Suite(.p256, .ecdsa(.sha256))
  }

  /// What differs from a valid document of a country that publishes everything.
  package enum Deviation: Sendable, CaseIterable {
    /// The country publishes another CSCA with the same name, and its CRL. The document's CSCA is not published.
    case unknownCountrySigner
    /// The certificate of the document signer has expired; the document has not.
    case expiredSigner
    /// The CRL revokes the document signer.
    case revokedSigner
    /// The time of the CRL's next update has passed.
    case staleRevocationList
    /// The country publishes no CRL.
    case noRevocationList
    /// The certificates are of another country than the document.
    case foreignCountry
    /// One byte of the image in DG2 was changed after EF.SOD was signed.
    case changedGroup
    /// DG11 is on the chip and in EF.COM, but not in EF.SOD.
    case uncoveredGroup
    /// EF.SOD has a digest of DG12, and the chip has no DG12.
    case missingGroup
    /// The country publishes only its former CSCA, and the link certificate from it to the one that signed.
    case keyRollover
    /// The key usage of the document signer is key encipherment.
    case keyUsage
    /// The document type list of the signer does not contain the document's code.
    case documentType
  }

  package var countrySigner = Suite.p256
  package var documentSigner = Suite.p256
  /// The hash function of the digests in EF.SOD.
  package var digest = HashAlgorithm.sha256
  package var identification = SignedDataBuilder.SignerIdentification.issuerAndSerialNumber
  /// Whether the certificate of the document signer has only the key usage and the authority key identifier. EF.SOD is
  /// 300 bytes shorter then, so that measurements of a read keep their number of exchanges.
  package var hasMinimalSigner = false
  /// Whether EF.SOD contains the certificate of the document signer. The country publishes it in any case.
  package var embedsCertificate = true
  package var deviations: Set<Deviation> = []

  package init() {}

  /// The same keys, algorithm and hash function for the country, the signer and the digests.
  package init(_ suite: Suite) {
    countrySigner = suite
    documentSigner = suite
    digest = suite.algorithm.hash ?? .sha256
  }

  /// The default with `hasMinimalSigner`.
  package static let minimal: DocumentIssuance = {
    var issuance = DocumentIssuance()
    issuance.hasMinimalSigner = true
    return issuance
  }()

  package init(_ deviation: Deviation) { deviations = [deviation] }
}
