import FoundationEssentials
import Tessera
import TesseraCommandLine

/// Imported certificates as text and as JSON.
struct TrustListOutput {
  private let material: TrustMaterial
  private let signers: [CountrySigner]
  private let documentSigners: [TrustMaterial.DocumentSigner]
  private let revocationLists: [TrustMaterial.StoredRevocationList]
  private let deviationLists: [TrustMaterial.StoredDeviationList]

  /// - Parameters:
  ///   - material: what is known of countries.
  ///   - country: as in certificates; nil for all countries.
  init(_ material: TrustMaterial, country: String?) {
    func isWanted(_ other: String?) -> Bool { country == nil || other == country }
    self.material = material
    signers = material.countrySigners.filter { isWanted($0.certificate.country) }
    documentSigners = material.documentSigners.filter { isWanted($0.certificate.country) }
    revocationLists = material.revocationLists.filter { isWanted($0.list.country) }
    deviationLists = material.deviationLists.filter { isWanted($0.list.country) }
  }

  var isEmpty: Bool {
    signers.isEmpty && documentSigners.isEmpty && revocationLists.isEmpty && deviationLists.isEmpty
  }

  // MARK: - JSON

  var object: JSONValue {
    [
      "certificates": .array(signers.map(Self.object)), "documentSigners": .array(documentSigners.map(Self.object)),
      "revocationLists": .array(revocationLists.map(Self.object)),
      "deviationLists": .array(deviationLists.map(Self.object)),
    ]
  }

  private static func object(_ entry: TrustMaterial.DocumentSigner) -> JSONValue {
    [
      "country": .string(entry.certificate.country ?? ""), "subject": .string(entry.certificate.subject),
      "sha256": .string(entry.certificate.fingerprint.hexadecimal.lowercased()),
      "source": .string(entry.sources.last?.name ?? ""),
    ]
  }

  private static func object(_ signer: CountrySigner) -> JSONValue {
    let certificate = signer.certificate
    return [
      "country": .string(certificate.country ?? ""), "subject": .string(certificate.subject),
      "serialNumber": .string(certificate.serialNumber),
      "sha256": .string(signer.fingerprint.hexadecimal.lowercased()),
      "notBefore": .string(Timestamp(certificate.notBefore).text),
      "notAfter": .string(Timestamp(certificate.notAfter).text), "key": .string(key(certificate)),
      "status": .string(signer.status.name), "source": .string(signer.sources.last?.name ?? ""),
      "importedAt": signer.sources.last.map { .string(Timestamp($0.importedAt).text) } ?? .null,
      "signer": signer.sources.last?.signer.map(JSONValue.string) ?? .null,
    ]
  }

  private static func object(_ entry: TrustMaterial.StoredRevocationList) -> JSONValue {
    [
      "country": .string(entry.list.country ?? ""), "issuer": .string(entry.list.issuer),
      "thisUpdate": .string(Timestamp(entry.list.thisUpdate).text),
      "nextUpdate": entry.list.nextUpdate.map { .string(Timestamp($0).text) } ?? .null,
      "revoked": .integer(Int64(entry.list.count)), "sha256": .string(entry.list.fingerprint.hexadecimal.lowercased()),
      "source": .string(entry.sources.last?.name ?? ""),
    ]
  }

  private static func object(_ entry: TrustMaterial.StoredDeviationList) -> JSONValue {
    [
      "country": .string(entry.list.country ?? ""), "signer": .string(entry.list.signerName),
      "signedAt": entry.list.signedAt.map { .string(Timestamp($0).text) } ?? .null,
      "deviations": .integer(Int64(entry.list.deviations.count)), "source": .string(entry.sources.last?.name ?? ""),
    ]
  }

  // MARK: - Text

  var text: String {
    let countries = Dictionary(grouping: signers) { $0.certificate.country ?? "" }
    let blocks = countries.sorted { $0.key < $1.key }.map { country, signers in
      ([Terminal.styled(country.isEmpty ? "(no country)" : Terminal.printable(country), .bold)]
        + signers.sorted { $0.certificate.notBefore < $1.certificate.notBefore }.map(line))
        .joined(separator: "\n")
    }
    let lists = revocationLists.map { entry in
      let due = entry.list.nextUpdate.map { " The next one \($0 < .now ? "was" : "is") due on \(Self.day($0))." } ?? ""
      return "\(Terminal.printable(entry.list.country ?? "?")): revocation list of \(Self.day(entry.list.thisUpdate)), "
        + "\(entry.list.count) revoked.\(due)"
    }
    let deviations = deviationLists.map(Self.line)
    let named = countries.keys.count { !$0.isEmpty }
    let total =
      "\(signers.count) certificate\(signers.count == 1 ? "" : "s") of \(named) "
      + "countr\(named == 1 ? "y" : "ies"), \(documentSigners.count) of document signers, "
      + "\(lists.count) revocation list\(lists.count == 1 ? "" : "s"), "
      + "\(deviations.count) deviation list\(deviations.count == 1 ? "" : "s")."
    let listed = (lists + deviations).joined(separator: "\n")
    return (blocks + (listed.isEmpty ? [] : [listed]) + [total]).joined(separator: "\n\n")
  }

  private static func line(_ entry: TrustMaterial.StoredDeviationList) -> String {
    let count = entry.list.deviations.count
    return "\(Terminal.printable(entry.list.country ?? "?")): deviation list"
      + (entry.list.signedAt.map { " of \(day($0))" } ?? "")
      + ", \(count) deviation\(count == 1 ? "" : "s"), from \(Terminal.printable(entry.sources.last?.place ?? ""))."
  }

  private func line(_ signer: CountrySigner) -> String {
    let certificate = signer.certificate
    let validity = "\(Self.day(certificate.notBefore)) to \(Self.day(certificate.notAfter))"
    let expired = certificate.notAfter < .now ? Terminal.styled(" (expired)", .yellow) : ""
    return "  \(Terminal.printable(certificate.subject)), serial number \(certificate.serialNumber)\n"
      + "    \(Self.key(certificate)), \(validity)\(expired), \(status(signer))\n"
      + "    SHA-256 \(signer.fingerprint.hexadecimal.lowercased())\n"
      + "    from " + signer.sources.map(Self.line).joined(separator: "; ")
  }

  /// Where a certificate comes from.
  private static func line(_ source: CertificateSource) -> String {
    let signer = source.signer.map { ", signed by \(Terminal.printable($0))" } ?? ""
    return "\(Terminal.printable(source.place)), imported on \(day(source.importedAt))\(signer)"
  }

  private func status(_ signer: CountrySigner) -> String {
    switch signer.status {
    case .selfSigned: return "self-signed"
    case .endorsed: break
    case .linked(let fingerprint):
      guard let issuer = material.countrySigner(fingerprint: fingerprint)?.certificate else { break }
      return "verified by \(Terminal.printable(issuer.serialNumber)) (\(Self.day(issuer.notBefore)))"
    }
    return Terminal.styled("its issuer is missing", .yellow)
  }

  /// `RSA 4096`, `EC brainpoolP384r1`.
  static func key(_ certificate: Certificate) -> String { (try? certificate.publicKey)?.summary ?? "unusable key" }

  static func day(_ date: Date) -> String { String(Timestamp(date).text.prefix(10)) }
}
