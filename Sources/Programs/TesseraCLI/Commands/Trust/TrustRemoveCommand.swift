import ArgumentParser
import Tessera
import TesseraCommandLine

struct TrustRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Removes imported certificates and revocation lists.",
    discussion: """
      Examples:
        tessera trust remove --country XX
        tessera trust remove --source DE_ML.ml
        tessera trust remove --all
      """)

  @Argument(help: ArgumentHelp("SHA-256 fingerprints of certificates or revocation lists.", valueName: "fingerprint"))
  var fingerprints: [String] = []

  @Option(
    help: ArgumentHelp(
      "Everything of this country, by its two letters, or as documents name it: D.", valueName: "code"))
  var country: String?

  @Option(help: ArgumentHelp("Everything that came from this file only.", valueName: "name"))
  var source: String?

  @Flag(help: "Everything.")
  var all = false

  func validate() throws {
    let given = [!fingerprints.isEmpty, country != nil, source != nil, all].count { $0 }
    guard given == 1 else { throw ValidationError("Specify fingerprints, --country, --source or --all.") }
  }

  func run() async throws {
    let wanted = try fingerprints.map { text in
      guard let bytes = [UInt8](hexadecimal: text.filter { $0 != ":" }), bytes.count == 32 else {
        throw Failure(
          .usage, "A fingerprint is not SHA-256 in hexadecimal.",
          remedy: "Run `tessera trust list --json` to list the fingerprints.")
      }
      return bytes
    }
    let code = country.map(CountryCode.ofCertificates)
    let removed = try TrustStore().update { material in
      let before = material
      if let source {
        let count = try material.remove(source: source)
        return Removal(count, before, material)
      }
      for fingerprint in wanted where !material.contains(fingerprint: fingerprint) {
        throw TrustError.notFound("the fingerprint \(fingerprint.hexadecimal.lowercased())")
      }
      let removed = material.remove(
        countrySigners: { all || wanted.contains($0.fingerprint) || code != nil && $0.certificate.country == code },
        documentSigners: { all || wanted.contains($0.fingerprint) || code != nil && $0.country == code },
        revocationLists: { all || wanted.contains($0.fingerprint) || code != nil && $0.country == code },
        deviationLists: { all || code != nil && $0.country == code })
      guard removed > 0 || all else {
        throw TrustError.notFound("the country \(country ?? "")")
      }
      return Removal(removed, before, material)
    }
    try StandardOutput.write("\(removed.count) removed.")
    // The key of a removed certificate stays trusted by way of the others that have it.
    for signer in removed.sameKeys {
      Note.write(
        "\(Terminal.printable(signer.certificate.subject)), \(signer.fingerprint.hexadecimal.lowercased()), has the key of "
          + "a removed certificate and is still trusted.")
    }
  }

  private struct Removal {
    let count: Int
    /// The certificates that remain and have the key of a removed one.
    let sameKeys: [CountrySigner]

    init(_ count: Int, _ before: TrustMaterial, _ after: TrustMaterial) {
      self.count = count
      let removed = before.countrySigners.filter { after.countrySigner(fingerprint: $0.fingerprint) == nil }
      let keys = Set(removed.map(\.certificate.publicKeyInfo))
      sameKeys = after.countrySigners.filter { keys.contains($0.certificate.publicKeyInfo) }
    }
  }
}
