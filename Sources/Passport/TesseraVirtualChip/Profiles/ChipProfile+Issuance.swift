import TesseraCryptography

/// Profiles that differ in the certificates and signatures of the document. The chip has Basic Access Control only.
extension ChipProfile {
  /// One profile for each deviation, each form of signature and each signature algorithm.
  public static let issuances: [ChipProfile] = deviations + forms + algorithms

  private static func trust(
    _ name: String, _ summary: String, _ change: (inout ChipProfile) -> Void
  ) -> ChipProfile {
    var profile = ChipProfile(
      name: "trust-" + name, summary: summary, requiresBasicAccessControl: true, responseLimit: 4096)
    change(&profile)
    return profile
  }

  // MARK: - Deviations

  private static let deviations: [ChipProfile] = {
    func profile(_ name: String, _ summary: String, _ deviation: DocumentIssuance.Deviation) -> ChipProfile {
      trust(name, summary) { $0.issuance = DocumentIssuance(deviation) }
    }
    return [
      profile("unknown-csca", "the CSCA of the document is not published", .unknownCountrySigner),
      profile("expired-signer", "the certificate of the document signer has expired", .expiredSigner),
      profile("revoked", "the CRL revokes the document signer", .revokedSigner),
      profile("stale-crl", "the next update of the CRL is overdue", .staleRevocationList),
      profile("no-crl", "the country publishes no CRL", .noRevocationList),
      profile("wrong-country", "the certificates are of another country than the MRZ", .foreignCountry),
      profile("wrong-hash", "the image in DG2 was changed after EF.SOD was signed", .changedGroup),
      profile("uncovered", "EF.SOD does not cover DG11", .uncoveredGroup),
      profile("missing-group", "EF.SOD covers DG12, which the chip lacks", .missingGroup),
      profile("no-key-usage", "the document signer's key is for encipherment only", .keyUsage),
      profile("document-type", "the document signer may sign identity cards only", .documentType),
      profile("link", "a link certificate connects the published CSCA with the document's", .keyRollover),
    ]
  }()

  // MARK: - Forms of EF.SOD

  private static let forms: [ChipProfile] = [
    trust("pkd-signer", "EF.SOD does not contain the certificate of the document signer") {
      $0.issuance.embedsCertificate = false
    },
    trust("key-identifier", "EF.SOD names the document signer by its key identifier") {
      $0.issuance.identification = .subjectKeyIdentifier
    },
    trust("lds-0", "EF.SOD contains an LDS security object of version 0") { $0.ldsVersion = "0107" },
  ]

  // MARK: - Keys and algorithms

  private static let algorithms: [ChipProfile] = {
    func profile(
      _ name: String, _ summary: String, _ key: IssuingKeyType, _ algorithm: SignatureAlgorithm
    ) -> ChipProfile {
      trust(name, "signed with " + summary) {
        $0.issuance = DocumentIssuance(DocumentIssuance.Suite(key, algorithm))
      }
    }
    func pss(_ hash: HashAlgorithm) -> SignatureAlgorithm {
      .rsaPSS(hash, maskHash: hash, saltLength: hash.digestLength)
    }
    return [
      profile(
        "explicit", "ECDSA on brainpoolP256r1 with explicit parameters",
        .ellipticCurve(.brainpoolP256r1, .explicit), .ecdsa(.sha256)),
      profile(
        "unknown-curve", "ECDSA on a curve that is not standardised", .ellipticCurve(.rescaledP256, .explicit),
        .ecdsa(.sha256)),
      profile("rsa-sha1", "RSA PKCS#1 and SHA-1", .rsa, .rsaPKCS1(.sha1)),
      profile("rsa-sha256", "RSA PKCS#1 and SHA-256", .rsa, .rsaPKCS1(.sha256)),
      profile("rsa-sha512", "RSA PKCS#1 and SHA-512", .rsa, .rsaPKCS1(.sha512)),
      profile("pss-sha256", "RSA-PSS and SHA-256", .rsa, pss(.sha256)),
      profile("pss-sha512", "RSA-PSS and SHA-512", .rsa, pss(.sha512)),
      profile("ecdsa-sha1", "ECDSA on P-256 and SHA-1", .p256, .ecdsa(.sha1)),
      profile("ecdsa-sha224", "ECDSA on P-256 and SHA-224", .p256, .ecdsa(.sha224)),
      profile("ecdsa-sha384", "ECDSA on P-384 and SHA-384", .ellipticCurve(.p384), .ecdsa(.sha384)),
      profile(
        "ecdsa-sha512", "ECDSA on brainpoolP512r1 and SHA-512", .ellipticCurve(.brainpoolP512r1), .ecdsa(.sha512)),
      profile("ecdsa-p521", "ECDSA on P-521 and SHA-512", .ellipticCurve(.p521), .ecdsa(.sha512)),
    ]
  }()
}
