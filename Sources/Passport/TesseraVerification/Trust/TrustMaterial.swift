public import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is known of the countries that issue documents: the certificates of country signers, the trust anchors of
/// verification, and what the PKD publishes beside them.
public struct TrustMaterial: Sendable {
  /// A certificate of a document signer, as the PKD publishes it. It is not trusted: verification traces it to a
  /// country signer.
  public struct DocumentSigner: Sendable, Equatable {
    public let certificate: Certificate
    public internal(set) var sources: [CertificateSource]
  }

  /// A revocation list. Its signature was verified when it was imported; verification checks its age.
  public struct StoredRevocationList: Sendable, Equatable {
    public let list: RevocationList
    public internal(set) var sources: [CertificateSource]
  }

  /// A deviation list. Its signature was verified when it was imported.
  public struct StoredDeviationList: Sendable, Equatable {
    public let list: DeviationList
    public internal(set) var sources: [CertificateSource]
  }

  /// For example `the test country of Tessera`; nil for what the user imported.
  public var name: String?
  /// Whether these certificates can prove that a document is genuine. Not if the private keys are public, as those of a
  /// test country are.
  public var provesAuthenticity = true
  public private(set) var countrySigners: [CountrySigner] = []
  public private(set) var documentSigners: [DocumentSigner] = []
  public private(set) var revocationLists: [StoredRevocationList] = []
  /// At most one of each country.
  public private(set) var deviationLists: [StoredDeviationList] = []

  // Positions in `countrySigners`.
  private var byFingerprint: [[UInt8]: Int] = [:]
  private var byKeyIdentifier: [ArraySlice<UInt8>: [Int]] = [:]
  private var byName: [ComparableName: [Int]] = [:]
  private var documentSignerPositions: [[UInt8]: Int] = [:]
  /// What earlier verifications computed. Copies share it.
  package private(set) var keys = KeyCache()

  public init() {}

  /// Certificates that the caller vouches for, without any file. Those that cannot be accepted are left out.
  ///
  /// - Parameters:
  ///   - name: see `name`.
  ///   - countrySigners: classified like those of a file.
  ///   - documentSigners: classified in the same way.
  ///   - revocationLists: in DER; each must be signed by one of the country signers.
  public init(
    name: String, countrySigners: [Certificate], documentSigners: [Certificate] = [], revocationLists: [[UInt8]] = []
  ) {
    var trust = TrustImport(to: TrustMaterial(), trustsFiles: true)
    let objects = (countrySigners + documentSigners).map { TrustObject.certificate($0.der) }
    _ = try? trust.add(
      TrustFileContent(name: name, objects: objects + revocationLists.map(TrustObject.revocationList)))
    self = trust.material
    self.name = name
  }

  /// Whether there is no trust anchor at all.
  public var isEmpty: Bool { countrySigners.isEmpty }

  /// The country signer with this SHA-256 of its encoding.
  public func countrySigner(fingerprint: [UInt8]) -> CountrySigner? {
    byFingerprint[fingerprint].map { countrySigners[$0] }
  }

  /// The countries of the country signers: two upper-case letters, sorted.
  public var countries: [String] { Set(countrySigners.compactMap(\.certificate.country)).sorted() }

  /// Whether a certificate or a revocation list has this SHA-256 of its encoding.
  public func contains(fingerprint: [UInt8]) -> Bool {
    byFingerprint[fingerprint] != nil || documentSigners.contains { $0.certificate.fingerprint == fingerprint }
      || revocationLists.contains { $0.list.fingerprint == fingerprint }
  }

  // MARK: - Issuers

  /// The country signers that may have issued a certificate or a list: those with the stated key first, then those with
  /// the name of the issuer. Only the signature tells.
  func candidates(keyIdentifier: ArraySlice<UInt8>?, name: DistinguishedName) -> [CountrySigner] {
    let stated = keyIdentifier.flatMap { byKeyIdentifier[$0] } ?? []
    let named = byName[name.comparable] ?? []
    return (stated + named.filter { !stated.contains($0) }).map { countrySigners[$0] }
  }

  /// The country signers from this one to the one that nobody else signed. A loop of link certificates ends it.
  func path(from signer: CountrySigner) -> [CountrySigner] {
    var path = [signer]
    while case .linked(let fingerprint)? = path.last?.status, path.count < 16,
      let next = countrySigner(fingerprint: fingerprint), !path.contains(next)
    {
      path.append(next)
    }
    return path
  }

  // MARK: - Changes

  /// Adds a country signer, or the sources of one that is present.
  ///
  /// - Returns: whether it is new.
  @discardableResult
  mutating func insert(_ signer: CountrySigner) -> Bool {
    if let position = byFingerprint[signer.fingerprint] {
      countrySigners[position].sources.merge(signer.sources)
      // A certificate whose issuer has become known is no longer merely endorsed.
      if countrySigners[position].status == .endorsed { countrySigners[position].status = signer.status }
      return false
    }
    let position = countrySigners.count
    countrySigners.append(signer)
    byFingerprint[signer.fingerprint] = position
    if let identifier = signer.certificate.subjectKeyIdentifier {
      byKeyIdentifier[identifier, default: []].append(position)
    }
    byName[signer.certificate.subjectName.comparable, default: []].append(position)
    return true
  }

  /// Finds the issuers of merely endorsed certificates among those that were added later.
  ///
  /// - Returns: those that the stated issuer did not sign. They are removed.
  mutating func classifyAgain() throws -> [CountrySigner] {
    let endorsed = countrySigners.indices.filter { countrySigners[$0].status == .endorsed }
    guard !endorsed.isEmpty else { return [] }
    let classification = SignerClassification(pool: countrySigners.map(\.certificate))
    var refused: [CountrySigner] = []
    for position in endorsed {
      switch classification.result(for: countrySigners[position].certificate) {
      case .linked(let issuer):
        countrySigners[position].status = .linked(issuer: countrySigners[issuer].fingerprint)
      case .refused(.signatureWrong): refused.append(countrySigners[position])
      default: continue
      }
    }
    if !refused.isEmpty {
      replaceAll(countrySigners.filter { !refused.contains($0) }, documentSigners, revocationLists, deviationLists)
    }
    return refused
  }

  @discardableResult
  mutating func insert(_ signer: DocumentSigner) -> Bool {
    if let position = documentSignerPositions[signer.certificate.der] {
      documentSigners[position].sources.merge(signer.sources)
      return false
    }
    documentSignerPositions[signer.certificate.der] = documentSigners.count
    documentSigners.append(signer)
    return true
  }

  /// Adds a revocation list. It replaces an older one of the same issuer.
  mutating func insert(_ entry: StoredRevocationList) {
    if let position = revocationLists.firstIndex(where: { $0.list == entry.list }) {
      return revocationLists[position].sources.merge(entry.sources)
    }
    guard !hasNewer(entry.list) else { return }
    let remaining = revocationLists.filter { !(entry.list.replaces($0.list) && isOfSameIssuer($0.list, entry.list)) }
    revocationLists = remaining + [entry]
  }

  /// Whether one key signed both lists. Without its certificate, the names and the stated keys tell.
  private func isOfSameIssuer(_ list: RevocationList, _ other: RevocationList) -> Bool {
    guard list.country == other.country else { return false }
    guard let issuer = issuer(of: list), let otherIssuer = self.issuer(of: other),
      let key = try? keys.key(of: issuer.certificate), let otherKey = try? keys.key(of: otherIssuer.certificate)
    else { return list.isOfSameIssuer(as: other) }
    return key.isSameKey(as: otherKey)
  }

  /// Whether a newer revocation list of the same issuer is stored.
  func hasNewer(_ list: RevocationList) -> Bool {
    revocationLists.contains { $0.list.replaces(list) && isOfSameIssuer($0.list, list) }
  }

  /// Adds a deviation list. It replaces an older one of the same country.
  @discardableResult
  mutating func insert(_ entry: StoredDeviationList) -> Bool {
    guard let position = deviationLists.firstIndex(where: { $0.list.country == entry.list.country }) else {
      deviationLists.append(entry)
      return true
    }
    let stored = deviationLists[position]
    if stored.list == entry.list {
      deviationLists[position].sources.merge(entry.sources)
      return false
    }
    guard stored.list.signedAt ?? .distantPast < entry.list.signedAt ?? .distantPast else { return false }
    deviationLists[position] = entry
    return true
  }

  /// Removes these sources, and what came only from them.
  mutating func remove(where isRemoved: (CertificateSource) -> Bool) {
    func remaining<Entry>(_ entries: [Entry], _ sources: WritableKeyPath<Entry, [CertificateSource]>) -> [Entry] {
      entries.compactMap { entry in
        var entry = entry
        entry[keyPath: sources].removeAll(where: isRemoved)
        return entry[keyPath: sources].isEmpty ? nil : entry
      }
    }
    replaceAll(
      remaining(countrySigners, \.sources), remaining(documentSigners, \.sources),
      remaining(revocationLists, \.sources), remaining(deviationLists, \.sources))
  }

  /// Removes what came from this file only.
  ///
  /// - Parameter name: of the file, or its address.
  /// - Returns: the number of removed entries.
  /// - Throws: `TrustError.notFound` if nothing came from it.
  public mutating func remove(source name: String) throws -> Int {
    let before = count
    let sources =
      countrySigners.map(\.sources) + documentSigners.map(\.sources) + revocationLists.map(\.sources)
      + deviationLists.map(\.sources)
    guard sources.joined().contains(where: { $0.name == name }) else { throw TrustError.notFound("the source \(name)") }
    remove(where: { $0.name == name })
    let removed = before - count
    _ = try classifyAgain()
    return removed
  }

  /// The number of all entries.
  public var count: Int {
    countrySigners.count + documentSigners.count + revocationLists.count + deviationLists.count
  }

  /// Removes the country signers, document signers and lists that match.
  ///
  /// - Returns: the number of removed entries.
  public mutating func remove(
    countrySigners isRemovedSigner: (CountrySigner) -> Bool, documentSigners isRemovedDocument: (Certificate) -> Bool,
    revocationLists isRemovedList: (RevocationList) -> Bool,
    deviationLists isRemovedDeviation: (DeviationList) -> Bool = { _ in false }
  ) -> Int {
    let before = count
    replaceAll(
      countrySigners.filter { !isRemovedSigner($0) }, documentSigners.filter { !isRemovedDocument($0.certificate) },
      revocationLists.filter { !isRemovedList($0.list) },
      deviationLists.filter { !isRemovedDeviation($0.list) })
    let removed = before - count
    // Another certificate with the same key may verify what a removed one verified.
    _ = try? classifyAgain()
    return removed
  }

  private mutating func replaceAll(
    _ signers: [CountrySigner], _ documents: [DocumentSigner], _ lists: [StoredRevocationList],
    _ deviations: [StoredDeviationList]
  ) {
    var material = TrustMaterial()
    material.name = name
    material.provesAuthenticity = provesAuthenticity
    let remaining = Set(signers.map(\.fingerprint))
    for var signer in signers {
      // Nothing verifies a certificate any more whose issuer was removed.
      if case .linked(let issuer) = signer.status, !remaining.contains(issuer) { signer.status = .endorsed }
      material.insert(signer)
    }
    for document in documents { material.insert(document) }
    material.revocationLists = lists
    material.deviationLists = deviations
    self = material
  }
}
