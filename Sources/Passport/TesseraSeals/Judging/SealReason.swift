/// The first reason why a seal is not genuine, or why that is not established.
public enum SealReason: String, Sendable, CaseIterable {
  // Not genuine.

  /// The content differs from what was signed.
  case data
  /// The signer's certificate is forged, or not for this document.
  case signer
  /// The printed document differs from the seal.
  case document

  // Not established.

  /// The seal is not as its format demands.
  case format
  /// The barcode has no signature.
  case notSigned
  /// The certificate of the signer is not known.
  case unknownSigner
  /// The signature could not be verified.
  case signature
  /// No country certificates are known.
  case noCountryCertificates
  /// No country certificate leads to the signer.
  case unknownIssuer
  /// The certificate of the signer could not be verified.
  case signerNotVerified
  /// The issuer of the signer is known, and the certificate may not sign such seals.
  case signerNotAccepted
  /// A certificate on the way to the country signer is not valid at that time, or was not when the seal was signed.
  case signerNotValid
  /// The country revoked a certificate on the way to the country signer.
  case signerRevoked
  /// A revocation list of the country is malformed, so it is not known whether a certificate is revoked.
  case revocationNotDecided
  /// The zone in the seal has a wrong check digit.
  case machineReadableZone
  /// What was read of the printed zone is wrong or differs from the seal, and may be misread or that of another document.
  case printedZone
  /// The seal is for the holder of another passport.
  case otherPassport
  /// The keys of the country are public, as those of a test country are.
  case publicKeys

  /// A clause in lower case, without a full stop.
  public var clause: String {
    switch self {
    case .data: "the seal is not as the issuing country signed it"
    case .signer: "the certificate of the signer is forged, or not for this document"
    case .document: "the document differs from its seal"
    case .format: "the seal is not as its format demands"
    case .notSigned: "the barcode is not signed"
    case .unknownSigner: "the certificate of the signer is not known"
    case .signature: "the signature could not be verified"
    case .noCountryCertificates: "no country certificates are known"
    case .unknownIssuer: "no country certificate leads to the signer"
    case .signerNotVerified: "the certificate of the signer could not be verified"
    case .signerNotAccepted: "the signer is not accepted"
    case .signerNotValid: "the certificate of the signer is not valid"
    case .signerRevoked: "the certificate of the signer is revoked"
    case .revocationNotDecided: "a revocation list of the country is malformed"
    case .machineReadableZone: "the machine readable zone in the seal has a wrong check digit"
    case .printedZone: "what was read of the printed zone may be misread, or is that of another document"
    case .otherPassport: "the passport is another one than the seal is for"
    case .publicKeys: "the keys of the test country are public"
    }
  }
}

/// The status of a seal in the words of Doc 9303-13, appendix D, and Doc 9303-8.
public struct SealStatus: Sendable, Equatable {
  /// The indications of Doc 9303-13, appendix D.
  public enum Indication: String, Sendable, CaseIterable {
    /// The seal is not as its format demands.
    case wrongFormat = "WRONG_FORMAT"
    /// The certificate of the signer is not known.
    case unknownCertificate = "UNKNOWN_CERTIFICATE"
    /// The certificate of the signer is not accepted.
    case untrustedCertificate = "UNTRUSTED_CERTIFICATE"
    /// The signer may not sign for this type of document.
    case invalidDocumentType = "INVALID_DOCUMENTTYPE"
    /// A certificate is not valid at that time.
    case expiredCertificate = "EXPIRED_CERTIFICATE"
    /// A certificate is revoked.
    case revokedCertificate = "REVOKED_CERTIFICATE"
    /// The signature is wrong.
    case invalidSignature = "INVALID_SIGNATURE"
    /// The zone in the seal has a wrong check digit.
    case invalidSealZone = "INVALID_SEAL_MRZ"
    /// The printed zone is none, or has a wrong check digit.
    case invalidPrintedZone = "INVALID_PRINTED_MRZ"
    /// The seal and the document differ.
    case documentMismatch = "SEAL_DOCUMENT_MISMATCH"
    /// The seal is valid, and has an element that its profile does not know.
    case unknownFeature = "UNKNOWN_FEATURE"
  }

  /// Whether no step failed.
  public let isValid: Bool
  /// The first step that failed, and whatever else proves that the seal is not genuine.
  public let indications: [Indication]

  /// `VALID` or `INVALID`.
  public var text: String { isValid ? "VALID" : "INVALID" }
}
