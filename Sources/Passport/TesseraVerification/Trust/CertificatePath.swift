import TesseraCryptography
import TesseraThreads

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

extension Certificate {
  /// Whether this is the certificate of an authority, and not of a document signer. Some country signers deny that they
  /// are authorities (`basicConstraints`) and may sign certificates all the same (`keyUsage`).
  var isCountrySigner: Bool { permits(.certificateSigning) ?? isAuthority ?? isSelfSigned }

  /// Whether it states itself as its issuer.
  var namesItself: Bool {
    issuerName.isSame(as: subjectName) && (authorityKeyIdentifier.map { $0 == subjectKeyIdentifier } ?? true)
  }

  /// Of a certificate that says nothing of what it is, an equal name says little: a document signer may have its country
  /// signer's.
  private var isSelfSigned: Bool { namesItself && (try? isSigned(by: publicKey)) == true }
}

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

/// What earlier verifications computed: decoded public keys, which certificates are signed with which keys, and what a
/// report says of certificates.
///
/// All of it follows from the bytes alone and not from anyone's trust, so that trust materials can share a cache, and no
/// change of a trust material makes it wrong.
package final class KeyCache: Sendable {
  private struct ValidSignature: Hashable {
    let certificate: [UInt8]
    let keyInfo: [UInt8]
  }

  private let keys = Locked<[ArraySlice<UInt8>: PublicKey]>([:])
  private let signatures = Locked<Set<ValidSignature>>([])
  private let descriptions = Locked<[[UInt8]: Report.Certificate]>([:])
  private let capacity: Int

  /// Larger keys and certificates, which no country issues, are not kept.
  private static let maximumKeySize = 4096
  private static let maximumCertificateSize = 16_384
  private static let maximumDescribedSize = 4096

  /// - Parameter capacity: the number of keys, of signatures and of descriptions that are kept. All are dropped when there
  ///   are more.
  init(capacity: Int = 1_000) { self.capacity = capacity }

  /// - Throws: `CryptographyError` if the key cannot be used.
  package func key(of certificate: Certificate) throws -> PublicKey {
    let info = certificate.publicKeyInfo
    if let key = keys.withLock({ $0[info] }) { return key }
    let key = try certificate.publicKey
    guard info.count <= Self.maximumKeySize else { return key }
    // A copy, because a part of an array keeps all of it in memory.
    let copy = key.subjectPublicKeyInfo[...]
    keys.withLock { keys in
      if keys.count >= capacity { keys.removeAll(keepingCapacity: true) }
      keys[copy] = key
    }
    return key
  }

  /// What a report says of a certificate, without its role there and its source.
  ///
  /// - Parameter make: makes it from the certificate alone.
  func description(of certificate: Certificate, _ make: () -> Report.Certificate) -> Report.Certificate {
    // Its texts can be longer than the certificate, and whoever made a document made its signer's.
    guard certificate.der.count <= Self.maximumDescribedSize else { return make() }
    if let known = descriptions.withLock({ $0[certificate.der] }) { return known }
    let description = make()
    descriptions.withLock { descriptions in
      if descriptions.count >= capacity { descriptions.removeAll(keepingCapacity: true) }
      descriptions[certificate.der] = description
    }
    return description
  }

  /// Whether the owner of the key of `issuer` signed `certificate`.
  ///
  /// - Throws: `CryptographyError` if the key or the algorithm is not supported, or they do not match.
  func isSigned(_ certificate: Certificate, by issuer: Certificate) throws -> Bool {
    let key = try key(of: issuer)
    let signature = ValidSignature(certificate: certificate.der, keyInfo: key.subjectPublicKeyInfo)
    if signatures.withLock({ $0.contains(signature) }) { return true }
    guard try certificate.isSigned(by: key) else { return false }
    guard certificate.der.count <= Self.maximumCertificateSize else { return true }
    signatures.withLock { signatures in
      if signatures.count >= capacity { signatures.removeAll(keepingCapacity: true) }
      signatures.insert(signature)
    }
    return true
  }
}
