import TesseraCryptography
import TesseraSmartCard

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
  private let namesTrust: Bool
  let now: Date

  /// - Parameters:
  ///   - material: what is trusted already.
  ///   - roots: the country signers that the user named, to which the signer of a master list must lead.
  ///   - rootFingerprints: SHA-256 of the encodings of such certificates, which the list itself may carry.
  ///   - isStrict: leaves out the certificates whose issuer is not known.
  ///   - trustsLists: accepts a list whose signer leads to a certificate in the list itself. For files that the user
  ///     names for one verification only.
  public init(
    to material: TrustMaterial, roots: [Certificate] = [], rootFingerprints: Set<[UInt8]> = [], isStrict: Bool = false,
    trustsLists: Bool = false, at now: Date = .now
  ) {
    self.material = material
    self.roots = roots
    self.rootFingerprints = rootFingerprints
    self.isStrict = isStrict
    namesTrust = trustsLists
    self.now = now
  }

  /// Adds the content of one file.
  ///
  /// - Throws: `TrustError` if nothing in the file is accepted. The material is then unchanged.
  public mutating func add(_ file: TrustFileContent) throws -> TrustImportSummary {
    let objects = file.objects
    var summary = TrustImportSummary(source: file.name)
    let before = material
    var lists: [MasterList] = []
    var certificates: [Certificate] = []
    for object in objects {
      switch object {
      case .masterList(let bytes):
        do {
          lists.append(try MasterList(bytes))
        } catch {
          summary.note(error, of: "a master list")
        }
      case .certificate(let bytes):
        do {
          certificates.append(try Certificate(der: bytes))
        } catch {
          summary.refuse("a certificate", SignerClassification.Refusal.malformed.sentence)
        }
      default: continue
      }
    }
    try add(lists, to: &summary)
    try add(certificates, to: &summary)
    for case .revocationList(let bytes) in objects { add(revocationList: bytes, to: &summary) }
    for case .deviationList(let bytes) in objects { add(deviationList: bytes, to: &summary) }
    guard summary.accepted > 0 else {
      material = before
      throw summary.firstError ?? TrustError.nothingUsable(name: file.name)
    }
    summary.compare(before, material)
    return summary
  }

  // MARK: - Master lists

  /// A collection such as the PKD has lists of many countries; one can make the signer of another one known.
  private mutating func add(_ lists: [MasterList], to summary: inout TrustImportSummary) throws {
    // Of several lists of a country, the newest replaces the others.
    var waiting = lists.sorted { ($0.signer.signedAt ?? .distantPast) < ($1.signer.signedAt ?? .distantPast) }
    while !waiting.isEmpty {
      var rest: [MasterList] = []
      for list in waiting {
        let isTrusted = path(of: list.signer, listing: list.certificates) != nil
        if isTrusted { try add(list, to: &summary) } else { rest.append(list) }
      }
      guard rest.count < waiting.count else { break }
      waiting = rest
    }
    for list in waiting {
      summary.note(
        refusal(of: list.signer, listing: list.certificates), of: list.signer.certificate.subject)
    }
  }

  /// The certificates from the issuer of a list's signer to a trusted one; nil if none leads there.
  ///
  /// - Parameter certificates: those of the list.
  func path(of signer: ListSigner, listing certificates: [Certificate]) -> [Certificate]? {
    guard signer.problem(at: now) == nil else { return nil }
    var anchors = roots + material.countrySigners.map(\.certificate)
    let carried = signer.embedded + certificates
    if !rootFingerprints.isEmpty {
      anchors += carried.filter { certificate in
        (try? HashAlgorithm.sha256.digest(of: certificate.der)).map(rootFingerprints.contains) ?? false
      }
    }
    if namesTrust { anchors += certificates }
    return signer.path(to: anchors, through: certificates)
  }

  func refusal(of signer: ListSigner, listing certificates: [Certificate]) -> TrustError {
    if let problem = signer.problem(at: now) { return .listDamaged(problem) }
    let authority = (signer.embedded + certificates).first { candidate in
      candidate.subjectName == signer.certificate.issuerName
        && (try? signer.certificate.isSigned(by: candidate.publicKey)) == true
    }
    let fingerprint = authority.flatMap { try? HashAlgorithm.sha256.digest(of: $0.der) }
    return .signerNotTrusted(
      signer: signer.certificate.subject, authority: authority?.subject,
      fingerprint: fingerprint?.hexadecimal.lowercased(), rootsGiven: !roots.isEmpty || !rootFingerprints.isEmpty)
  }

  private mutating func add(_ list: MasterList, to summary: inout TrustImportSummary) throws {
    let source = CertificateSource(
      name: summary.source, importedAt: now, signer: list.signer.certificate.subject,
      signerCountry: list.signer.certificate.country, signedAt: list.signer.signedAt)
    summary.signer = summary.signer ?? source.signer
    for position in list.malformedEntries {
      summary.refuse("entry \(position + 1) of the list", SignerClassification.Refusal.malformed.sentence)
    }
    material.remove(where: { $0.isReplaced(by: source) })
    try add(countrySigners: list.certificates, source, to: &summary)
  }

  // MARK: - Certificates

  private mutating func add(_ certificates: [Certificate], to summary: inout TrustImportSummary) throws {
    let source = CertificateSource(name: summary.source, importedAt: now)
    try add(countrySigners: certificates.filter(\.isCountrySigner), source, to: &summary)
    for certificate in certificates where !certificate.isCountrySigner {
      summary.documentSigners += 1
      material.insert(TrustMaterial.DocumentSigner(certificate: certificate, sources: [source]))
    }
  }

  /// Classifies the certificates among themselves and the known ones, and adds the accepted ones.
  private mutating func add(
    countrySigners certificates: [Certificate], _ source: CertificateSource, to summary: inout TrustImportSummary
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
      case .unknownIssuer:
        guard !isStrict else {
          summary.refuse(certificate.subject, "Its issuer is not known.")
          continue
        }
        status = .endorsed
        summary.endorsed += 1
      case .refused(let refusal):
        summary.refuse(certificate.subject, refusal.sentence)
        continue
      }
      if let country = certificate.country { summary.countryNames.insert(country) }
      material.insert(try CountrySigner(certificate: certificate, status: status, sources: [source]))
    }
  }

  // MARK: - Revocation lists

  private mutating func add(revocationList bytes: [UInt8], to summary: inout TrustImportSummary) {
    do {
      let list = try RevocationList(der: bytes)
      let candidates = material.candidates(keyIdentifier: list.authorityKeyIdentifier, name: list.issuerName)
      guard !candidates.isEmpty else {
        return summary.refuse(
          list.issuer, "Its issuer is not known. Import the certificates of that country first.")
      }
      guard candidates.contains(where: { (try? list.isSigned(by: material.keys.key(of: $0.certificate))) == true })
      else { return summary.refuse(list.issuer, SignerClassification.Refusal.signatureWrong.sentence) }
      summary.revocationLists += 1
      let source = CertificateSource(name: summary.source, importedAt: now)
      material.insert(TrustMaterial.StoredRevocationList(list: list, sources: [source]))
    } catch {
      summary.refuse("a revocation list", (error as? CryptographyError)?.failure.cause ?? "It is malformed.")
    }
  }
}

extension Certificate {
  /// Whether this is the certificate of an authority, and not of a document signer. Some country signers deny that they
  /// are authorities (`basicConstraints`) and may sign certificates all the same (`keyUsage`).
  var isCountrySigner: Bool { permits(.certificateSigning) ?? isAuthority ?? (subjectName == issuerName) }
}
