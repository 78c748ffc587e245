import TesseraCryptography
import TesseraSmartCard
import TesseraThreads

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Verifies certificates and lists, and adds what is accepted to the trust material.
public struct TrustImport: Sendable {
  /// The material with everything that was accepted so far.
  public internal(set) var material: TrustMaterial
  private let roots: [Certificate]
  private let rootFingerprints: Set<[UInt8]>
  private let isStrict: Bool
  /// Whether the user vouches for the files.
  private let trustsFiles: Bool
  let now: Date

  /// - Parameters:
  ///   - material: what is trusted already.
  ///   - roots: the country signers that the user named, to which the signer of a master list must lead.
  ///   - rootFingerprints: SHA-256 of the encodings of such certificates, which the file itself may contain.
  ///   - isStrict: leaves out the certificates whose issuer is not known.
  ///   - trustsFiles: accepts certificates that nothing verifies, and lists whose signers lead to a certificate in the
  ///     list itself. For files that the user names for one verification only.
  ///   - now: the time of the import.
  public init(
    to material: TrustMaterial, roots: [Certificate] = [], rootFingerprints: Set<[UInt8]> = [], isStrict: Bool = false,
    trustsFiles: Bool = false, at now: Date = .now
  ) {
    self.material = material
    self.roots = roots
    self.rootFingerprints = rootFingerprints
    self.isStrict = isStrict
    self.trustsFiles = trustsFiles
    self.now = now
  }

  /// Adds the content of one file.
  ///
  /// - Throws: `TrustError` if nothing in the file is accepted. The material is then unchanged.
  public mutating func add(_ file: TrustFileContent) throws -> TrustImportSummary {
    try add([file]).first ?? TrustImportSummary(source: file.name)
  }

  /// Adds the content of several files. Their order does not matter: what one of them makes known verifies the others.
  ///
  /// - Returns: the results in the order of the files.
  /// - Throws: `TrustError` if nothing in one of the files is accepted. The material is then unchanged.
  public mutating func add(_ files: [TrustFileContent]) throws -> [TrustImportSummary] {
    let before = material
    do {
      var opened = files.map(OpenedFile.init)
      for index in opened.indices where isVouchedFor(files[index]) { try addCountrySigners(of: &opened[index]) }
      // A list of revoked certificates can concern the signer of another list.
      for index in opened.indices { addRevocationLists(of: &opened[index], isLast: false) }
      try addMasterLists(of: &opened)
      for index in opened.indices where !isVouchedFor(files[index]) { try addCountrySigners(of: &opened[index]) }
      let forged = try material.classifyAgain()
      for index in opened.indices {
        for signer in forged where signer.sources.contains(where: { $0.name == files[index].name }) {
          opened[index].summary.endorsed = max(0, opened[index].summary.endorsed - 1)
          opened[index].summary.refuseSigner(
            signer.certificate.subject, SignerClassification.Refusal.signatureWrong.sentence)
        }
        // Shown once.
        if index == 0 { opened[index].summary.displaced = forged }
      }
      for index in opened.indices {
        addDocumentSigners(of: &opened[index])
        addRevocationLists(of: &opened[index], isLast: true)
        for list in opened[index].deviationLists { add(deviationList: list, to: &opened[index].summary) }
        opened[index].summary.compare(before, material)
      }
      if let failed = opened.first(where: { $0.summary.accepted == 0 })?.summary {
        guard let error = failed.firstError else { throw TrustError.nothingUsable(name: failed.source) }
        throw files.count > 1 ? (error as? TrustError).map { TrustError.inFile(failed.source, $0) } ?? error : error
      }
      return opened.map(\.summary)
    } catch {
      material = before
      throw error
    }
  }

  /// Whether the user vouches for each certificate of the file. A named root is to verify all of them.
  private func isVouchedFor(_ file: TrustFileContent) -> Bool {
    trustsFiles || file.isVouchedFor && roots.isEmpty && rootFingerprints.isEmpty
  }

  // MARK: - Trust

  /// The named roots and the trusted country signers.
  ///
  /// - Parameter others: certificates of which the user may have named the fingerprint.
  private func anchors(among others: [Certificate]) -> [Certificate] {
    let named = rootFingerprints.isEmpty ? [] : others.filter { rootFingerprints.contains($0.fingerprint) }
    return roots + material.countrySigners.map(\.certificate) + named
  }

  /// The certificates from the issuer of a list's signer to a trusted one; nil if none leads there.
  ///
  /// - Parameter certificates: those of the list.
  func path(of signer: ListSigner, listing certificates: [Certificate]) -> [Certificate]? {
    guard signer.problem(at: now) == nil else { return nil }
    let others = signer.embedded + certificates
    let anchors = anchors(among: others) + (trustsFiles ? certificates : [])
    return CertificatePath(to: anchors, through: others).path(from: signer.certificate)
  }

  /// The error of a list whose signer leads to no trusted certificate.
  func refusal(of signer: ListSigner, listing certificates: [Certificate]) -> TrustError {
    if let problem = signer.problem(at: now) { return .listDamaged(problem) }
    let pool = IssuerIndex(signer.embedded + certificates)
    let authority = pool.candidates(for: signer.certificate).map { pool.certificates[$0] }
      .first { (try? signer.certificate.isSigned(by: $0.publicKey)) == true }
    return .signerNotTrusted(
      signer: signer.certificate.subject, authority: authority?.subject,
      fingerprint: authority.map { $0.fingerprint.hexadecimal.lowercased() },
      rootsGiven: !roots.isEmpty || !rootFingerprints.isEmpty)
  }

  /// The error of a list whose signer, or a certificate on its path, is revoked; nil if none is.
  func revocation(of signer: ListSigner, _ path: [Certificate]) -> TrustError? {
    isRevoked(signer.certificate, path)
      ? .listDamaged("Its signer was revoked, or a certificate that leads to its signer was.") : nil
  }

  /// The names do not tell: link certificates can have equal names and no key identifier.
  private func isSelfSigned(_ certificate: Certificate) -> Bool {
    (try? material.keys.isSigned(certificate, by: certificate)) == true
  }

  /// A malformed revocation list counts as one that revokes.
  private func isRevoked(_ certificate: Certificate, _ path: [Certificate]) -> Bool {
    let chain = ([certificate] + path).map {
      RevocationCheck.Link(certificate: $0, isSelfSigned: isSelfSigned($0))
    }
    do {
      return try RevocationCheck.revocation(in: chain, trust: material) != nil
    } catch {
      return true
    }
  }

  // MARK: - Master lists

  /// A collection such as the PKD has lists of many countries; one can make the signer of another one known.
  private mutating func addMasterLists(of files: inout [OpenedFile]) throws {
    // Of several lists of a country, the newest replaces the others.
    var waiting = files.indices.flatMap { index in files[index].masterLists.map { (index: index, list: $0) } }
      .sorted { $0.list.signer.signedAt ?? .distantPast < $1.list.signer.signedAt ?? .distantPast }
    while !waiting.isEmpty {
      var rest: [(index: Int, list: MasterList)] = []
      for (index, list) in waiting {
        if let path = path(of: list.signer, listing: list.certificates) {
          try add(list, path, to: &files[index].summary)
        } else {
          rest.append((index, list))
        }
      }
      guard rest.count < waiting.count else { break }
      waiting = rest
    }
    for (index, list) in waiting {
      files[index].summary.note(
        refusal(of: list.signer, listing: list.certificates), of: list.signer.certificate.subject)
    }
  }

  private mutating func add(_ list: MasterList, _ path: [Certificate], to summary: inout TrustImportSummary) throws {
    let signer = list.signer.certificate
    let source = CertificateSource(
      name: summary.source, importedAt: now, signer: signer.subject, signerCountry: signer.country,
      signedAt: list.signer.signedAt)
    if let problem = revocation(of: list.signer, path) ?? rollback(to: source) {
      return summary.note(problem, of: signer.subject)
    }
    summary.signer = summary.signer ?? source.signer
    summary.lists.append(source)
    for position in list.malformedEntries {
      summary.certificates += 1
      summary.refuseSigner("entry \(position + 1) of the list", SignerClassification.Refusal.malformed.sentence)
    }
    // Lists for one verification complete one another.
    if !trustsFiles { material.remove(where: { $0.isOfSameSigner(as: source) }) }
    try add(countrySigners: list.certificates, source, to: &summary)
  }

  /// The error if a newer list of the same country is stored: an older one would bring back what the country removed.
  private func rollback(to source: CertificateSource) -> TrustError? {
    guard !trustsFiles, let signer = source.signer, let signedAt = source.signedAt else { return nil }
    let isOlder = material.countrySigners.contains { entry in
      entry.sources.contains { $0.isOfSameSigner(as: source) && ($0.signedAt ?? .distantPast) > signedAt }
    }
    return isOlder ? .olderList(signer: signer) : nil
  }

  // MARK: - Certificates

  /// Adds the country signers that stand by themselves in a file.
  private mutating func addCountrySigners(of file: inout OpenedFile) throws {
    let source = CertificateSource(name: file.summary.source, importedAt: now)
    let isVouchedFor = isVouchedFor(file.content)
    let paths =
      isVouchedFor ? nil : CertificatePath(to: anchors(among: file.countrySigners), through: file.countrySigners)
    var accepted: [Certificate] = []
    for certificate in file.countrySigners {
      let path = paths.map { $0.path(from: certificate) } ?? []
      if let path, isVouchedFor || !isRevoked(certificate, path) {
        accepted.append(certificate)
      } else if path != nil {
        file.summary.certificates += 1
        file.summary.refuseSigner(certificate.subject, "It was revoked, or a certificate that leads to it was.")
      } else {
        file.summary.certificates += 1
        file.summary.refused += 1
        file.summary.note(
          TrustError.issuerUnknown(
            .certificate, subject: certificate.subject,
            fingerprint: certificate.fingerprint.hexadecimal.lowercased()),
          of: certificate.subject)
      }
    }
    try add(countrySigners: accepted, source, isListed: false, to: &file.summary)
  }

  /// Classifies the certificates among themselves and the known ones, and adds the accepted ones.
  ///
  /// - Parameter isListed: whether a country signed the list of the certificates.
  private mutating func add(
    countrySigners certificates: [Certificate], _ source: CertificateSource, isListed: Bool = true,
    to summary: inout TrustImportSummary
  ) throws {
    guard !certificates.isEmpty else { return }
    let pool = certificates + material.countrySigners.map(\.certificate)
    // A named root verifies certificates, and is not imported by that.
    func isVerifiedByRoot(_ certificate: Certificate) -> Bool {
      roots.contains { (try? certificate.isSigned(by: material.keys.key(of: $0))) == true }
    }
    let results = SignerClassification(pool: pool).results(count: certificates.count)
    for (certificate, result) in zip(certificates, results) {
      summary.certificates += 1
      let status: CountrySigner.Status
      switch result {
      case .selfSigned:
        status = .selfSigned
        summary.selfSigned += 1
      case .linked(let position):
        status = .linked(issuer: try HashAlgorithm.sha256.digest(of: pool[position].der))
        summary.linked += 1
      // A certificate that names itself as its issuer and is not in a signed list is damaged.
      case .unknownIssuer where !isListed && certificate.namesItself && !isVerifiedByRoot(certificate):
        summary.refuseSigner(
          certificate.subject,
          certificate.authorityKeyIdentifier == nil
            ? "Nothing that is known verifies it." : SignerClassification.Refusal.signatureWrong.sentence)
        continue
      case .unknownIssuer:
        guard !isStrict || isVerifiedByRoot(certificate) else {
          summary.refuseSigner(certificate.subject, "Its issuer is not known.")
          continue
        }
        status = .endorsed
        summary.endorsed += 1
      case .refused(let refusal):
        summary.refuseSigner(certificate.subject, refusal.sentence)
        continue
      }
      if let country = certificate.country { summary.countryNames.insert(country) }
      material.insert(try CountrySigner(certificate: certificate, status: status, sources: [source]))
    }
  }

  private static let fewSigners = 32

  /// Adds the document signers that a known country signer issued.
  private mutating func addDocumentSigners(of file: inout OpenedFile) {
    let source = CertificateSource(name: file.summary.source, importedAt: now)
    let material = material
    let signers = file.documentSigners
    let trace: @Sendable (Certificate) -> SignerTrace.Result = {
      SignerTrace($0, trust: material, at: $0.notBefore).result
    }
    // A few take less time than the start of threads, and Dispatch wakes a process up every second from its first use on.
    let results = signers.count < Self.fewSigners ? signers.map(trace) : signers.concurrentMap(trace)
    for (certificate, result) in zip(file.documentSigners, results) {
      switch result {
      case .traced:
        file.summary.documentSigners += 1
        self.material.insert(TrustMaterial.DocumentSigner(certificate: certificate, sources: [source]))
      case .noAnchors, .unknownIssuer:
        file.summary.note(
          TrustError.issuerUnknown(.certificate, subject: certificate.subject, fingerprint: nil),
          of: certificate.subject)
      case .signatureWrong:
        file.summary.refuse(certificate.subject, SignerClassification.Refusal.signatureWrong.sentence)
      case .undecidable(let reason): file.summary.refuse(certificate.subject, reason)
      }
    }
  }

  // MARK: - Revocation lists

  /// - Parameter isLast: whether lists that nothing verifies are refused; otherwise they wait.
  private mutating func addRevocationLists(of file: inout OpenedFile, isLast: Bool) {
    let source = CertificateSource(name: file.summary.source, importedAt: now)
    var waiting: [RevocationList] = []
    for list in file.revocationLists {
      if list.thisUpdate > now.addingTimeInterval(86_400) {
        file.summary.refuse(list.issuer, "It was issued in the future: check the clock.")
        continue
      }
      switch material.isSigned(list) {
      case true? where material.hasNewer(list): file.summary.outdatedRevocationLists += 1
      case true?:
        file.summary.revocationLists += 1
        material.insert(TrustMaterial.StoredRevocationList(list: list, sources: [source]))
      case false? where isLast:
        file.summary.refuse(
          list.issuer, material.obstacle(of: list) ?? SignerClassification.Refusal.signatureWrong.sentence)
      case nil where isLast:
        if let obstacle = material.obstacle(of: list) {
          file.summary.refuse(list.issuer, obstacle)
          continue
        }
        file.summary.note(
          TrustError.issuerUnknown(.revocationList, subject: list.issuer, fingerprint: nil), of: list.issuer)
      default: waiting.append(list)
      }
    }
    file.revocationLists = waiting
  }
}
