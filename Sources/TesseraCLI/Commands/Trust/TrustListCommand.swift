import ArgumentParser
import FoundationEssentials
import Tessera

struct TrustListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the imported certificates by country.",
    discussion: """
      Example:
        tessera trust list --country DE
      """)

  @Option(help: ArgumentHelp("List one country only, by its two letters.", valueName: "code"))
  var country: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let material = try TrustStore().load()
    let wanted = country?.uppercased()
    let signers = material.countrySigners.filter { wanted == nil || $0.certificate.country == wanted }
    if json {
      return try StandardOutput.write(
        ([
          "certificates": .array(signers.map(TrustListOutput.object)),
          "documentSigners": .integer(Int64(material.documentSigners.count)),
          "revocationLists": .array(material.revocationLists.map(TrustListOutput.object)),
        ] as JSONValue).text)
    }
    guard !signers.isEmpty || !material.revocationLists.isEmpty else {
      return Note.write("No certificates are imported. Run `tessera trust import --help` to import some.")
    }
    try StandardOutput.write(TrustListOutput.text(signers, material, country: wanted))
  }
}

/// Imported certificates as text and as JSON.
enum TrustListOutput {
  static func object(_ signer: CountrySigner) -> JSONValue {
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

  static func object(_ entry: TrustMaterial.StoredRevocationList) -> JSONValue {
    [
      "country": .string(entry.list.country ?? ""), "issuer": .string(entry.list.issuer),
      "thisUpdate": .string(Timestamp(entry.list.thisUpdate).text),
      "nextUpdate": entry.list.nextUpdate.map { .string(Timestamp($0).text) } ?? .null,
      "revoked": .integer(Int64(entry.list.count)), "source": .string(entry.sources.last?.name ?? ""),
    ]
  }

  static func text(_ signers: [CountrySigner], _ material: TrustMaterial, country: String?) -> String {
    let countries = Dictionary(grouping: signers) { $0.certificate.country ?? "" }
    let blocks = countries.sorted { $0.key < $1.key }.map { country, signers in
      ([Terminal.styled(country.isEmpty ? "(no country)" : Terminal.printable(country), .bold)]
        + signers.sorted { $0.certificate.notBefore < $1.certificate.notBefore }.map { line($0, material) })
        .joined(separator: "\n")
    }
    let lists = material.revocationLists.filter { country == nil || $0.list.country == country }.map { entry in
      let due = entry.list.nextUpdate.map { " The next one \($0 < .now ? "was" : "is") due on \(day($0))." } ?? ""
      return "\(Terminal.printable(entry.list.country ?? "?")): revocation list of \(day(entry.list.thisUpdate)), "
        + "\(entry.list.count) revoked.\(due)"
    }
    let total =
      "\(signers.count) certificate\(signers.count == 1 ? "" : "s") of \(countries.count) "
      + "countr\(countries.count == 1 ? "y" : "ies"), \(material.documentSigners.count) of document signers, "
      + "\(lists.count) revocation list\(lists.count == 1 ? "" : "s")."
    return (blocks + (lists.isEmpty ? [] : [lists.joined(separator: "\n")]) + [total]).joined(separator: "\n\n")
  }

  private static func line(_ signer: CountrySigner, _ material: TrustMaterial) -> String {
    let certificate = signer.certificate
    let validity = "\(day(certificate.notBefore)) to \(day(certificate.notAfter))"
    let expired = certificate.notAfter < .now ? Terminal.styled(" (expired)", .yellow) : ""
    let source = signer.sources.last?.name ?? ""
    return "  \(Terminal.printable(certificate.subject)), serial number \(certificate.serialNumber)\n"
      + "    \(key(certificate)), \(validity)\(expired), \(status(signer, material)), from \(Terminal.printable(source))"
  }

  private static func status(_ signer: CountrySigner, _ material: TrustMaterial) -> String {
    switch signer.status {
    case .selfSigned: return "self-signed"
    case .endorsed: return Terminal.styled("its issuer is missing", .yellow)
    case .linked(let fingerprint):
      guard let issuer = material.countrySigner(fingerprint: fingerprint)?.certificate else {
        return Terminal.styled("link certificate, its parent is missing", .yellow)
      }
      return "verified by \(Terminal.printable(issuer.serialNumber)) (\(day(issuer.notBefore)))"
    }
  }

  /// `RSA 4096`, `EC brainpoolP384r1`.
  static func key(_ certificate: Certificate) -> String { (try? certificate.publicKey)?.summary ?? "unusable key" }

  static func day(_ date: Date) -> String { String(Timestamp(date).text.prefix(10)) }
}
