import TesseraCryptography
import TesseraVerification

/// Whether a certificate may sign seals of a kind: purpose, usage and critical extensions (Doc 9303-12, 7.1.3 and
/// table 8). It has neither key usage nor basic constraints nor a key identifier of its own, and none is asked for.
struct SealSignerProfile {
  /// A sentence; nil if the certificate may.
  let problem: String?

  /// - Parameters:
  ///   - national: purposes that are accepted beside the kind's own.
  init(_ signer: Certificate, kind: SealKind, national: [String]) {
    problem = Self.usage(signer) ?? Self.purpose(signer, kind, national) ?? Self.unknownExtension(signer)
  }

  private static func usage(_ signer: Certificate) -> String? {
    if signer.permits(.digitalSignature) == false { return "The key of the signer may not sign seals." }
    return signer.isAuthority == true ? "The signer's certificate is one of an authority." : nil
  }

  /// A second purpose beside the one for seals is no fault.
  private static func purpose(_ signer: Certificate, _ kind: SealKind, _ national: [String]) -> String? {
    guard let purposes = signer.extendedKeyUsage, !purposes.isEmpty else {
      return "The signer's certificate does not say that it is for seals."
    }
    let accepted = [kind.signerPurpose] + national
    guard !purposes.contains(where: accepted.contains) else { return nil }
    return "The signer's certificate is for another purpose (\(purposes.prefix(8).joined(separator: ", ")))."
  }

  private static func unknownExtension(_ signer: Certificate) -> String? {
    signer.criticalExtensions.first { !SignerProfile.knownExtensions.contains($0) }
      .map { "The signer's certificate has a critical extension that is not known (\($0))." }
  }
}

extension SealKind {
  /// The key purpose of the kind's signers, dotted (Doc 9303-12, 7.1.3; ICAO TR VDS-NC). No public text says which one
  /// ICAO's datastructure for barcodes has; its issuers use that of visible digital seals.
  var signerPurpose: String {
    switch self {
    case .vds, .idb: "2.23.136.1.1.11.1"
    case .vdsNC: "2.23.136.1.1.14.2"
    }
  }
}
