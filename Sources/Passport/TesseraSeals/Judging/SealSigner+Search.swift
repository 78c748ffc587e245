import TesseraCryptography
import TesseraVerification

/// A certificate that a seal names as its signer's.
struct SealCandidate: Sendable {
  let certificate: Certificate
  /// Where it comes from, for the report.
  let source: String
}

extension SealSigner {
  /// More than that many certificates with one name and number are not tried: each takes a verification.
  static let maximumCandidates = 32

  /// A certificate in a barcode that is longer than any symbol can hold is not decoded.
  private static let maximumCertificateSize = 16_384

  /// The certificates that the seal's reference fits. A certificate is never a candidate only because it verifies.
  ///
  /// - Parameter limit: the most certificates to look for.
  func candidates(in trust: TrustMaterial, limit: Int = maximumCandidates) -> [SealCandidate] {
    switch self {
    case .unresolvable: []
    case .certificate(let der): Self.embedded(der).map { [$0] } ?? []
    case .reference(let country, let name, let serialNumber):
      Self.stored(in: trust, limit) { Self.fits($0, country, name, Self.octets(serialNumber)) }
    case .fingerprintEnd(let end, let der):
      // The certificate in the barcode is not signed: it counts only if the reference, which is, fits.
      der.flatMap(Self.embedded).flatMap { Self.fits($0.certificate, end) ? [$0] : nil }
        ?? Self.stored(in: trust, limit) { Self.fits($0, end) }
    }
  }

  private static func stored(
    in trust: TrustMaterial, _ limit: Int, where fits: (Certificate) -> Bool
  ) -> [SealCandidate] {
    var candidates: [SealCandidate] = []
    for entry in trust.documentSigners where candidates.count < limit && fits(entry.certificate) {
      candidates.append(SealCandidate(certificate: entry.certificate, source: entry.sources.first?.name ?? ""))
    }
    return candidates
  }

  private static func embedded(_ der: [UInt8]) -> SealCandidate? {
    guard der.count <= maximumCertificateSize, let certificate = try? Certificate(der: der) else { return nil }
    return SealCandidate(certificate: certificate, source: "seal")
  }

  private static func fits(_ certificate: Certificate, _ country: String, _ name: String, _ serial: [UInt8]?) -> Bool {
    // The number first: names are decoded.
    guard let serial, SerialNumber.isSame(certificate.serialNumberBytes, serial[...]),
      let ownCountry = certificate.country, let ownName = certificate.subjectName.commonName
    else { return false }
    return CountryCode.isSame(ownCountry.uppercased(), country.uppercased())
      && ownName.uppercased() == name.uppercased()
  }

  private static func fits(_ certificate: Certificate, _ end: [UInt8]) -> Bool {
    guard end.count == 5, let digest = try? HashAlgorithm.sha1.digest(of: certificate.der) else { return false }
    return digest.suffix(end.count).elementsEqual(end)
  }

  /// nil for a text that is no hexadecimal number, or for none at all.
  private static func octets(_ hexadecimal: String) -> [UInt8]? {
    let isOdd = !hexadecimal.utf8.count.isMultiple(of: 2)
    return hexadecimal.isEmpty ? nil : [UInt8](hexadecimal: (isOdd ? "0" : "") + hexadecimal)
  }

  /// Why there is no candidate, a sentence.
  var absence: String {
    switch self {
    case .unresolvable(let reason): reason
    case .certificate: "The certificate in the seal cannot be decoded."
    case .reference(_, _, let serialNumber):
      serialNumber.isEmpty
        ? "The seal's reference is the one for tests, which names no certificate."
        : "No certificate is known with the country, the name and the serial number that the seal states."
    case .fingerprintEnd: "No certificate is known with the fingerprint that the barcode states."
    }
  }
}
