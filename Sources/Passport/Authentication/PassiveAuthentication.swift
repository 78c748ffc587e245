import Cryptography

/// Passive authentication (Doc 9303-11, 5.1): do the data groups agree with EF.SOD, and is EF.SOD signed by the
/// certificate inside it. Whether a country stands behind that certificate is a question of trust, not asked here.
public struct PassiveAuthentication: Sendable, Equatable {
  /// A data group beside its digest in EF.SOD.
  public enum Coverage: String, Sendable, Equatable {
    case matches
    case differs
    /// EF.SOD has no digest for this group: nothing vouches for it.
    case notCovered
  }

  /// By data group number.
  public let coverage: [Int: Coverage]
  /// The first problem of a signature, nil where all hold.
  public let signatureProblem: SignedData.SignatureProblem?
  /// The document signer's certificate, where it verified the signature.
  public let documentSigner: Certificate?

  /// Whether the signature is wrong, and not only one that cannot be judged.
  var isForged: Bool {
    switch signatureProblem {
    case nil, .undecidable(.unsupported)?: false
    default: true
    }
  }

  /// - Parameter files: the raw data groups by number.
  public init(_ sod: EFSOD, dataGroups files: [Int: [UInt8]]) {
    coverage = files.reduce(into: [:]) { result, file in
      guard let digest = sod.securityObject.digests[file.key] else {
        result[file.key] = .notCovered
        return
      }
      let own = try? sod.securityObject.hashAlgorithm.digest(of: file.value)
      result[file.key] = own == digest ? .matches : .differs
    }
    var problem: SignedData.SignatureProblem?
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
