import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CountryAuthority.SerialNumber {
  /// A visible digital seal states it in hexadecimal, with letters and in at most five digits.
  static let barcodeSigner: UInt64 = 0x5EA1
  static let nonConstrainedSigner: UInt64 = 0x5EA2
}

/// The signers of seals. Their certificates have the profile of Doc 9303-12, 7.1.3: names of a country and two letters,
/// and no extension but the three of the profile. So they state no period in which the key signs; it signs for 14
/// months, of which twelve have passed.
extension CountryAuthority {
  /// What the names of the signers have as `CN`.
  enum SignerName {
    static let barcodeSigner = "TS"
    static let nonConstrainedSigner = "TN"
  }

  /// Signs visible digital seals and barcodes of ICAO's datastructure.
  func barcodeSigner() throws -> Issuer {
    try sealSigner(
      .barcodeSigner, SignerName.barcodeSigner, SerialNumber.barcodeSigner, types: ["AR", "ME", "PU", "V"], .p256)
  }

  /// Signs VDS-NC, which contain its certificate.
  func nonConstrainedSigner() throws -> Issuer {
    try sealSigner(
      .nonConstrainedSigner, SignerName.nonConstrainedSigner, SerialNumber.nonConstrainedSigner, types: ["NV"], .p256)
  }

  private func sealSigner(
    _ role: CertificateBuilder.Role, _ name: String, _ serialNumber: UInt64, types: [String],
    _ suite: DocumentIssuance.Suite
  ) throws -> Issuer {
    var builder = CertificateBuilder(
      role: role, country: identity.twoLetters, organization: "", commonName: name, serialNumber: serialNumber,
      notBefore: Self.day(-365, now), notAfter: Self.day(60 + Self.documentLife, now))
    builder.hasSubjectKeyIdentifier = false
    builder.documentTypes = types
    let key = try IssuingKey(suite.key, of: role == .barcodeSigner ? .barcodeSigner : .nonConstrainedSigner)
    return Issuer(certificate: try builder.issue(for: key, by: issuer), key: key, algorithm: suite.algorithm)
  }
}
