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
      try material.classifyAgain()
      for index in opened.indices {
        addDocumentSigners(of: &opened[index])
        addRevocationLists(of: &opened[index], isLast: true)
        for list in opened[index].deviationLists { add(deviationList: list, to: &opened[index].summary) }
        opened[index].summary.compare(before, material)
      }
      if let failed = opened.first(where: { $0.summary.accepted == 0 })?.summary {
        guard let error = failed.firstError else { throw TrustError.nothingUsable(name: failed.source) }
        throw files.count > 1 ? (error as? TrustError).map { .inFile(failed.source, $0) } ?? error : error
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

  /// The certificates from the issuer of `certificate` to a trusted one; nil if none leads there.
  ///
  /// - Parameter others: certificates that may lie between.
  private func path(from certificate: Certificate, through others: [Certificate]) -> [Certificate]? {
    CertificatePath(to: anchors(among: others + [certificate]), through: others).path(from: certificate)
  }

  /// The named roots and the trusted country signers.
  ///
  /// - Parameter others: certificates of which the user may have named the fingerprint.
  private func anchors(among others: [Certificate]) -> [Certificate] {
    let named = rootFingerprints.isEmpty ? [] : others.filter { rootFingerprints.contains(Self.fingerprint($0)) }
    return roots + material.countrySigners.map(\.certificate) + named
  }

  private static func fingerprint(_ certificate: Certificate) -> [UInt8] {
    (try? HashAlgorithm.sha256.digest(of: certificate.der)) ?? []
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
      fingerprint: authority.map { Self.fingerprint($0).hexadecimal.lowercased() },
      rootsGiven: !roots.isEmpty || !rootFingerprints.isEmpty)
  }

  /// The error of a list whose signer, or a certificate on its path, is revoked; nil if none is.
  func revocation(of signer: ListSigner, _ path: [Certificate]) -> TrustError? {
    let check = RevocationCheck(signer.certificate, issuers: path, trust: material, at: now).check
    return check.status == .failed ? .listDamaged("Its signer is revoked.") : nil
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
    if summary.signer == nil { (summary.signer, summary.signerCountry) = (source.signer, source.signerCountry) }
    for position in list.malformedEntries {
      summary.refused += 1
      summary.refuse("entry \(position + 1) of the list", SignerClassification.Refusal.malformed.sentence)
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
    var accepted: [Certificate] = []
    for certificate in file.countrySigners {
      if isVouchedFor || path(from: certificate, through: file.countrySigners) != nil {
        accepted.append(certificate)
      } else {
        file.summary.certificates += 1
        file.summary.refused += 1
        file.summary.note(
          TrustError.issuerUnknown(
            .certificate, subject: certificate.subject, fingerprint: Self.fingerprint(certificate).hexadecimal.lowercased()),
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
      case .unknownIssuer where !isListed && certificate.namesItself:
        summary.refused += 1
        summary.refuse(certificate.subject, SignerClassification.Refusal.signatureWrong.sentence)
        continue
      case .unknownIssuer:
        guard !isStrict else {
          summary.refused += 1
          summary.refuse(certificate.subject, "Its issuer is not known.")
          continue
        }
        status = .endorsed
        summary.endorsed += 1
      case .refused(let refusal):
        summary.refused += 1
        summary.refuse(certificate.subject, refusal.sentence)
        continue
      }
      if let country = certificate.country { summary.countryNames.insert(country) }
      material.insert(try CountrySigner(certificate: certificate, status: status, sources: [source]))
    }
  }

  /// Adds the document signers that a known country signer issued.
  private mutating func addDocumentSigners(of file: inout OpenedFile) {
    let source = CertificateSource(name: file.summary.source, importedAt: now)
    let material = material
    let results = file.documentSigners.concurrentMap { certificate in
      SignerTrace(certificate, trust: material, at: certificate.notBefore).result
    }
    for (certificate, result) in zip(file.documentSigners, results) {
      switch result {
      case .traced:
        file.summary.documentSigners += 1
        self.material.insert(TrustMaterial.DocumentSigner(certificate: certificate, sources: [source]))
      case .noAnchors, .unknownIssuer:
        file.summary.note(
          TrustError.issuerUnknown(.certificate, subject: certificate.subject, fingerprint: nil), of: certificate.subject)
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
      switch isSigned(list) {
      case true? where material.hasNewer(list):
        file.summary.refuse(list.issuer, "A newer one is imported already.")
      case true?:
        file.summary.revocationLists += 1
        material.insert(TrustMaterial.StoredRevocationList(list: list, sources: [source]))
      case false? where isLast:
        file.summary.refuse(list.issuer, SignerClassification.Refusal.signatureWrong.sentence)
      case nil where isLast:
        file.summary.note(TrustError.issuerUnknown(.revocationList, subject: list.issuer, fingerprint: nil), of: list.issuer)
      default: waiting.append(list)
      }
    }
    file.revocationLists = waiting
  }

  /// Whether a country signer of the list's country signed it; nil if none that may is known. A list of another country
  /// could hide a revocation.
  private func isSigned(_ list: RevocationList) -> Bool? {
    guard let country = list.country else { return nil }
    let candidates = material.candidates(keyIdentifier: list.authorityKeyIdentifier, name: list.issuerName)
      .map(\.certificate)
      .filter { $0.country == country && $0.permits(.revocationListSigning) ?? true }
    guard !candidates.isEmpty else { return nil }
    return candidates.contains { (try? list.isSigned(by: material.keys.key(of: $0))) == true }
  }
}

/// The decoded content of a file, and the result so far.
private struct OpenedFile {
  let content: TrustFileContent
  var summary: TrustImportSummary
  var masterLists: [MasterList] = []
  var countrySigners: [Certificate] = []
  var documentSigners: [Certificate] = []
  var revocationLists: [RevocationList] = []
  var deviationLists: [[UInt8]] = []

  init(_ content: TrustFileContent) {
    self.content = content
    summary = TrustImportSummary(source: content.name)
    for object in content.objects {
      do {
        switch object {
        case .masterList(let bytes): masterLists.append(try MasterList(bytes))
        case .certificate(let bytes):
          let certificate = try Certificate(der: bytes)
          if certificate.isCountrySigner {
            countrySigners.append(certificate)
          } else {
            documentSigners.append(certificate)
          }
        case .revocationList(let bytes): revocationLists.append(try RevocationList(der: bytes))
        case .deviationList(let bytes): deviationLists.append(bytes)
        case .unreadable(let line): summary.refuse("line \(line)", SignerClassification.Refusal.malformed.sentence)
        }
      } catch let error as TrustError {
        summary.note(error, of: "a list")
      } catch {
        summary.refuse("an entry", (error as? CryptographyError)?.failure.cause ?? "It is malformed.")
      }
    }
  }
}

extension Certificate {
  /// Whether this is the certificate of an authority, and not of a document signer. Some country signers deny that they
  /// are authorities (`basicConstraints`) and may sign certificates all the same (`keyUsage`).
  var isCountrySigner: Bool { permits(.certificateSigning) ?? isAuthority ?? (subjectName == issuerName) }

  /// Whether it states itself as its issuer.
  var namesItself: Bool {
    issuerName == subjectName && (authorityKeyIdentifier.map { $0 == subjectKeyIdentifier } ?? true)
  }
}
