import TesseraCryptography
import TesseraVerification

/// The kinds of signed barcodes.
public enum SealKind: String, Sendable, CaseIterable {
  /// A visible digital seal in bytes (Doc 9303-13; BSI TR-03137-1).
  case vds
  /// A visible digital seal for non-constrained environments: JSON (ICAO TR VDS-NC).
  case vdsNC
  /// ICAO's datastructure for barcodes (BSI TR-03171 uses it, too).
  case idb
}

/// Whose key a seal says that it was signed with.
package enum SealSigner: Sendable, Equatable {
  /// The serial number of the certificate, and its subject's country and common name, two upper-case letters each
  /// (Doc 9303-13, table 2). The number is hexadecimal, in upper case, without leading zeros; empty for a number of zeros
  /// only, which names no certificate.
  case reference(country: String, name: String, serialNumber: String)
  /// The last five bytes of the SHA-1 of the certificate, which may be in the barcode itself, in DER.
  case fingerprintEnd([UInt8], certificate: [UInt8]?)
  /// The certificate in the barcode, in DER.
  case certificate([UInt8])
  /// A kind of reference that is known and cannot be resolved, with the reason as a sentence.
  case unresolvable(String)
}

/// What a seal says, and its signature, before anybody judges it. All bytes are as they came.
package struct SealEvidence: Sendable {
  package let kind: SealKind
  /// The issuing country or organization as in a machine readable zone, without fillers: `UTO`, `D`.
  package let issuer: String
  package let signer: SealSigner
  package let signedBytes: [UInt8]
  /// r and s, each as long as the order of the key's curve. nil if the barcode is not signed.
  package let signature: [UInt8]?
  /// The algorithm that the seal names; nil if it follows from the key (Doc 9303-13).
  package let hash: HashAlgorithm?
  /// The curve that the seal's algorithm demands, as VDS-NC's ES256 does; nil if any will do.
  package let fieldBits: Int?

  package init(
    kind: SealKind, issuer: String, signer: SealSigner, signedBytes: [UInt8], signature: [UInt8]?,
    hash: HashAlgorithm? = nil, fieldBits: Int? = nil
  ) {
    (self.kind, self.issuer, self.signer) = (kind, issuer, signer)
    (self.signedBytes, self.signature, self.hash, self.fieldBits) = (signedBytes, signature, hash, fieldBits)
  }
}

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
