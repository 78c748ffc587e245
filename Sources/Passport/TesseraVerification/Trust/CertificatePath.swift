import TesseraCryptography

/// The search for a way from a certificate to a trusted one, each certificate signed with the key of the next.
///
/// Every issuer on the way must be a country signer of the same country: neither a document signer nor another country
/// can make its holder a signer of lists.
struct CertificatePath {
  private let anchors: Set<[UInt8]>
  private let pool: IssuerIndex

  /// The certificates are not trusted yet, so the work is limited. A path through ten keys of one country takes a
  /// hundred verifications.
  private static let maximumVerifications = 500
  private static let maximumLength = 16

  /// - Parameters:
  ///   - anchors: the trusted certificates.
  ///   - others: certificates that may lie between.
  init(to anchors: [Certificate], through others: [Certificate]) {
    self.anchors = Set(anchors.map(\.der))
    pool = IssuerIndex((anchors + others).filter(\.isCountrySigner))
  }

  /// The certificates from the issuer of `certificate` to a trusted one; empty if it is trusted itself, nil if no
  /// signature leads to one.
  func path(from certificate: Certificate) -> [Certificate]? {
    if anchors.contains(certificate.der) { return [] }
    var remaining = Self.maximumVerifications
    var visited: Set<[UInt8]> = []
    // Breadth first, so that the shortest path is found; `visited` ends loops of link certificates.
    var paths = [[certificate]]
    while let path = paths.first, let last = path.last, path.count <= Self.maximumLength {
      paths.removeFirst()
      for candidate in pool.candidates(for: last).map({ pool.certificates[$0] })
      where candidate.country == certificate.country && !visited.contains(candidate.der) {
        guard remaining > 0 else { return nil }
        remaining -= 1
        guard let key = try? pool.keys.key(of: candidate), (try? last.isSigned(by: key)) == true else { continue }
        visited.insert(candidate.der)
        let extended = path + [candidate]
        if anchors.contains(candidate.der) { return Array(extended.dropFirst()) }
        paths.append(extended)
      }
    }
    return nil
  }
}
