import TesseraCryptography
import TesseraPassport

/// Passive Authentication (Doc 9303-11, 5.1): whether the data groups match EF.SOD, and whether the certificate in
/// EF.SOD signed it. Whether that certificate is trusted is not checked here.
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

  /// Whether the signature is invalid. False if it uses an unsupported algorithm.
  package var isForged: Bool {
    switch signatureProblem {
    case nil, .undecidable(.unsupported)?: false
    default: true
    }
  }

  /// - Parameter files: the raw data groups by number.
  package init(_ sod: EFSOD, dataGroups files: [Int: [UInt8]]) {
    coverage = files.reduce(into: [:]) { result, file in
      guard let digest = sod.securityObject.digests[file.key] else {
        result[file.key] = .notCovered
        return
      }
      let own = try? sod.securityObject.hashAlgorithm.digest(of: file.value)
      result[file.key] = own == digest ? .matches : .differs
    }
    var problem: SignatureProblem?
    var signer: Certificate?
    if sod.signedData.signers.isEmpty { problem = .signatureWrong }
    for info in sod.signedData.signers {
      switch sod.signedData.verify(info) {
      case .success(let certificate): signer = signer ?? certificate
      case .failure(let reason): problem = problem ?? reason
      }
    }
    signatureProblem = problem
    documentSigner = problem == nil ? signer : nil
  }
}
