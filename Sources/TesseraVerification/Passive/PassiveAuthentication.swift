import TesseraCryptography
import TesseraPassport

/// Passive Authentication (Doc 9303-11, 5.1), the part that needs nothing but the document: whether the data groups
/// match EF.SOD, and whether the document signer signed it. `SignerTrace` decides whether that signer is trusted.
package struct PassiveAuthentication: Sendable, Equatable {
  /// The comparison of a data group with its digest in EF.SOD.
  package enum Coverage: String, Sendable, Equatable {
    case matches
    case differs
    /// EF.SOD has no digest for this group, so its signature does not cover the group.
    case notCovered
  }

  /// By data group number.
  package let coverage: [Int: Coverage]
  /// The first signature problem; nil if all signatures are valid.
  package let signatureProblem: SignatureProblem?
  /// The document signer's certificate, if it verified the signature.
  package let documentSigner: Certificate?
  /// The certificate in EF.SOD that is stated to be its signer's, whether it verified the signature or not.
  package let statedSigner: Certificate?
  /// Whether EF.SOD contains that certificate. Otherwise it is one of those that the PKD publishes.
  package let isSignerEmbedded: Bool
  /// Whether EF.SOD has no certificate at all, and those that the PKD publishes lack the signer's.
  package let lacksSigner: Bool

  /// Whether the signature is invalid. False if it uses an unsupported algorithm, or one that is not for its key, or if
  /// the certificate of the signer is not known.
  package var isForged: Bool {
    switch signatureProblem {
    case nil, .undecidable(.unsupported)?, .undecidable(.keyMismatch)?: false
    default: !lacksSigner
    }
  }

  /// - Parameters:
  ///   - files: the raw data groups by number.
  ///   - trust: has the certificates of document signers for an EF.SOD without its own.
  package init(_ sod: EFSOD, dataGroups files: [Int: [UInt8]], trust: TrustMaterial = TrustMaterial()) {
    coverage = files.reduce(into: [:]) { result, file in
      guard let digest = sod.securityObject.digests[file.key] else {
        result[file.key] = .notCovered
        return
      }
      let own = try? sod.securityObject.hashAlgorithm.digest(of: file.value)
      result[file.key] = own == digest ? .matches : .differs
    }
    let signatures = SignedDataVerification(sod.signedData, trust: trust)
    signatureProblem = signatures.problem
    documentSigner = signatures.signer
    statedSigner = sod.signedData.signers.first.flatMap { info in
      sod.signedData.certificates.first(where: info.identifies)
    }
    lacksSigner = signatures.problem == .noCertificate && !sod.signedData.hasCertificates
    isSignerEmbedded = signatures.signer.map(sod.signedData.certificates.contains) ?? false
  }
}
