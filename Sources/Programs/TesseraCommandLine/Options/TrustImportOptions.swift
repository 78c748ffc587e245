package import ArgumentParser
package import Tessera

/// The arguments of `tessera trust import`, which `tessera-fleet` receives unchanged with `--fleet`.
package struct TrustImportOptions: ParsableArguments {
  package static let discussion = """
    A file can be a CSCA master list (.ml), a certificate or a certificate revocation list (DER or PEM), an LDIF file \
    of the ICAO PKD, or a zip archive of these. An https:// address is downloaded.

    A master list must be signed by a country whose certificate is imported already, or is named with --root. A newer \
    list replaces the older one of the same country. With --root, and in an archive, an LDIF file or a download, every \
    certificate must be verified; a certificate in a file of its own is trusted because you name it, so compare its \
    fingerprint first.

    With --fleet and the administrator's seed, the files go to the inspectors of the fleet instead (`tessera inspect \
    --trust bucket`), each of which verifies them again with its own --root. With --replace they take the place of \
    everything that was published, also of what is damaged.

    Exit status: 0 imported; 2 nothing trusted leads to a list or a certificate, or a file has another format; 3 a \
    server cannot be reached; 5 a signature is wrong, a file is damaged, or no named root leads to the list. If one \
    file is refused, nothing is imported.

    Examples:
      tessera trust import DE_ML.ml --root DE_ROOT_CA.cer
      tessera trust import icaopkd-*.ldif
      tessera trust import DE_ML.ml --root DE_ROOT_CA.cer \\
        --fleet nats://127.0.0.1:4222 --fleet-seed fleet/admin.nk
      tessera trust import DE_ML.ml FR_ML.ml --root DE_ROOT_CA.cer --root FR.cer \\
        --fleet nats://127.0.0.1:4222 --fleet-seed fleet/admin.nk --replace
    """

  package init() {}

  @Argument(
    help: ArgumentHelp("Files or https:// addresses; - for standard input.", valueName: "file"), completion: .file())
  package var files: [String]

  @Option(
    help: ArgumentHelp(
      """
      The certificate of the country signer to which the signer of a master list must lead, or its SHA-256 \
      fingerprint. Repeatable.
      """, valueName: "file"), completion: .file())
  package var root: [String] = []

  @Flag(help: "Leave out certificates whose issuer is not known.")
  package var strict = false

  @Flag(help: "Print one JSON object for each file.")
  package var json = false

  @OptionGroup(title: "Fleet") package var fleet: FleetOptions

  @Flag(help: "With --fleet: remove everything that was published before. Name all files and roots.")
  package var replace = false

  package func validate() throws {
    if replace, !fleet.isGiven { throw ValidationError("--replace requires --fleet.") }
  }
}

extension TrustImportOptions {
  /// The files and what the addresses lead to, in their order.
  package func contents() async throws -> [TrustFileContent] {
    var contents: [TrustFileContent] = []
    for file in files {
      contents.append(try TrustFileContent(try await TrustFiles.read(file), name: TrustFiles.name(file)))
    }
    return contents
  }
}

/// The certificates that say whether a document is genuine.
package struct TrustOptions: ParsableArguments {
  package init() {}

  @Option(
    help: ArgumentHelp(
      "Use the certificates in this master list, certificate or folder instead of the imported ones. Repeatable.",
      valueName: "path"), completion: .file())
  package var trust: [String] = []

  /// What the scans of a bridge are verified with: the test country's certificates, or the imported ones.
  package static func scans(_ testCountry: TestCountry?) -> TrustMaterialSource {
    testCountry.map { .fixed(TrustMaterial(testCountry: $0, provesAuthenticity: true)) } ?? .imported
  }

  /// The certificates of `--trust`, of the test country, or else the imported ones.
  package func material(testCountry: TestCountry?) async throws -> TrustMaterial {
    if let named = try await TrustFiles.material(trust) { return named }
    return try testCountry.map { TrustMaterial(testCountry: $0, provesAuthenticity: true) } ?? TrustStore().load()
  }
}
