/// The overall result of all checks of a document.
public enum Outcome: String, Sendable, Codable {
  /// The data are complete and signed by the issuing country, and the chip is the original if the document offers a
  /// proof of that.
  case genuine
  /// A check of the data, of a signature or of the chip failed.
  case notGenuine
  /// Nothing speaks against the document, but something that a proof requires is missing.
  case notEstablished
}

/// The first reason why a document is not genuine, or why that is not established.
public enum OutcomeReason: String, Sendable, Codable, CaseIterable {
  // Not genuine.

  /// The dump was changed after the read.
  case dumpModified
  /// The data differ from what was signed, or the signature is wrong.
  case data
  /// The certificate of the document signer is forged, or not for this document.
  case documentSigner
  /// The chip gave a wrong proof that it is the original.
  case chip

  // Not established.

  /// The signature of EF.SOD could not be verified.
  case signature
  /// A data group that the country signed is missing.
  case dataGroupMissing
  /// No country certificates are known.
  case noCountryCertificates
  /// No country certificate leads to the document signer.
  case unknownIssuer
  /// The certificate of the document signer could not be verified.
  case signerNotVerified
  /// The issuer of the document signer is known, and the certificate may not sign such documents.
  case signerNotAccepted
  /// A certificate on the way to the country signer is not valid at that time.
  case signerNotValid
  /// The country revoked a certificate on the way to the country signer.
  case signerRevoked
  /// A revocation list of the country is malformed, so it is not known whether a certificate is revoked.
  case revocationNotDecided
  /// The protocols of access control differ from their signed copy.
  case accessControl
  /// The chip did not answer the challenge that was required.
  case challenge
  /// The document offers a proof of the chip that was not performed.
  case chipProof
  /// The only proof of the chip is with a key that may be compromised.
  case keyCompromised
  /// The text in DG1 is not as Doc 9303 has it, or contradicts the zone that was given.
  case machineReadableZone
  /// The digital travel credential has a signature of its own, whose structures are not published.
  case credentialSignature
  /// Another check failed.
  case failedCheck
  /// The keys of the country are public, as those of a test country are.
  case publicKeys

  /// A clause in lower case, without a full stop.
  public var clause: String {
    switch self {
    case .dumpModified: "the dump was changed after the read"
    case .data: "the data are not as the issuing country signed them"
    case .documentSigner: "the certificate of the document signer is forged, or not for this document"
    case .chip: "the chip answered wrongly to a proof that it is the original, so it may be a clone"
    case .signature: "the signature of EF.SOD could not be verified"
    case .dataGroupMissing: "a data group that the country signed is missing"
    case .noCountryCertificates: "no country certificates are known"
    case .unknownIssuer: "no country certificate leads to the document signer"
    case .signerNotVerified: "the certificate of the document signer could not be verified"
    case .signerNotAccepted: "the document signer is not accepted"
    case .signerNotValid: "the certificate of the signer is not valid"
    case .signerRevoked: "the certificate of the signer is revoked"
    case .revocationNotDecided: "a revocation list of the country is malformed"
    case .accessControl: "the access control may have been weakened"
    case .challenge: "the chip did not answer the given challenge"
    case .chipProof: "nothing proves that the chip is the original"
    case .keyCompromised: "the key of Active Authentication may be compromised"
    case .machineReadableZone: "the machine readable zone is unusual, or another one than the given"
    case .credentialSignature: "the signature of the digital travel credential could not be verified"
    case .failedCheck: "a check failed"
    case .publicKeys: "the keys of the test country are public"
    }
  }
}

extension OutcomeReason: CustomStringConvertible {
  /// The word of the JSON; `clause` is for people.
  public var description: String { rawValue }
}
