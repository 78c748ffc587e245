import TesseraCryptography

/// Certificates among which the issuer of another one is searched: by key identifier and then by name. Only the
/// signature tells, since names are often equal although the keys differ, and some key identifiers are absent or wrong.
struct IssuerIndex: Sendable {
  let certificates: [Certificate]
  /// The decoded keys of the certificates.
  let keys: KeyCache
  private let byKeyIdentifier: [ArraySlice<UInt8>: [Int]]
  private let byName: [ComparableName: [Int]]

  /// Limits the work that a hostile file with many equal names can cause. No country has more certificates.
  private static let maximumCandidates = 100

  init(_ certificates: [Certificate]) {
    self.certificates = certificates
    keys = KeyCache(capacity: certificates.count)
    byKeyIdentifier = Self.index(certificates) { $0.subjectKeyIdentifier }
    byName = Self.index(certificates) { $0.subjectName.comparable }
  }

  private static func index<Key: Hashable>(
    _ certificates: [Certificate], _ key: (Certificate) -> Key?
  ) -> [Key: [Int]] {
    var index: [Key: [Int]] = [:]
    for (position, certificate) in certificates.enumerated() {
      if let key = key(certificate), index[key, default: []].count < maximumCandidates {
        index[key, default: []].append(position)
      }
    }
    return index
  }

  /// The positions of the certificates with the key that the certificate states as its issuer's.
  func stated(by certificate: Certificate) -> [Int] {
    certificate.authorityKeyIdentifier.flatMap { byKeyIdentifier[$0] } ?? []
  }

  /// The positions of all that may have issued the certificate: those with the stated key first, and of these the ones
  /// with the stated name; then all others with that name. Of several certificates with the same key, the one that names
  /// itself comes before link certificates, whatever their order in a list.
  func candidates(for certificate: Certificate) -> [Int] {
    let stated = stated(by: certificate)
    let named = byName[certificate.issuerName.comparable] ?? []
    let groups = [
      stated.filter(named.contains), stated.filter { !named.contains($0) }, named.filter { !stated.contains($0) },
    ]
    return groups.flatMap { group in
      group.filter { certificates[$0].namesItself } + group.filter { !certificates[$0].namesItself }
    }
  }
}
