import TesseraCryptography
import TesseraPassport

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
