import TesseraCryptography
import TesseraPassport
import TesseraSmartCard

/// Passive Authentication (Doc 9303-11, 5.1), the part that needs nothing but the document: whether the data groups
/// match EF.SOD, and whether the document signer signed it. `SignerTrace` decides whether that signer is trusted.
package struct PassiveAuthentication: Sendable, Equatable {
  /// The comparison of a data group with its digest in EF.SOD.
  package enum Coverage: String, Sendable, Equatable {
    case matches
    case differs
    /// The file ends before the data object in it does, so the group was not read whole.
    case incomplete
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

  /// Whether the signature is proven to be wrong. False if that is not decided.
  package var isForged: Bool { signatureProblem?.isProof == true }

  /// - Parameters:
  ///   - files: the raw data groups by number.
  ///   - digests: SHA-256 of the data groups of which it is known, by number.
  ///   - trust: has the certificates of document signers for an EF.SOD without its own.
  package init(
    _ sod: EFSOD, dataGroups files: [Int: [UInt8]], digests: [Int: [UInt8]] = [:],
    trust: TrustMaterial = TrustMaterial()
  ) {
    coverage = files.reduce(into: [:]) { result, file in
      guard let digest = sod.securityObject.digests[file.key] else {
        result[file.key] = .notCovered
        return
      }
      let algorithm = sod.securityObject.hashAlgorithm
      let known = algorithm == .sha256 ? digests[file.key] : nil
      let isSame = (known ?? (try? algorithm.digest(of: file.value))) == digest
      // The digest covers the data object; what stands behind it in a stored file is not part of the group.
      let object = isSame ? nil : try? BERTLV.object(in: file.value[...])
      let isPadded = object.map { $0.count < file.value.count && (try? algorithm.digest(of: $0)) == digest } ?? false
      if isSame || isPadded {
        result[file.key] = .matches
      } else if let header = try? BERTLV.header(of: file.value[...]), header.totalLength > file.value.count {
        result[file.key] = .incomplete
      } else {
        result[file.key] = .differs
      }
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

/// All signatures of EF.SOD or EF.CardSecurity.
struct SignedDataVerification {
  /// The first problem; nil if all signatures are valid.
  let problem: SignatureProblem?
  /// The certificate of the first signer, if all signatures are valid.
  let signer: Certificate?

  init(_ signedData: SignedData, trust: TrustMaterial) {
    var problem: SignatureProblem?
    var signer: Certificate?
    if signedData.signers.isEmpty { problem = .noCertificate }
    for info in signedData.signers {
      let isEmbedded = signedData.certificates.contains(where: info.identifies)
      let published = isEmbedded ? [] : trust.documentSigners.lazy.map(\.certificate).filter(info.identifies)
      switch signedData.verify(info, among: Array(published), key: trust.keys.key) {
      case .success(let certificate): signer = signer ?? certificate
      // A proof that one signature is wrong counts, whatever is not decided about the others.
      case .failure(let reason): problem = problem.map { $0.isProof ? $0 : reason.isProof ? reason : $0 } ?? reason
      }
    }
    self.problem = problem
    self.signer = problem == nil ? signer : nil
  }
}
