import ArgumentParser
import FoundationEssentials
import Tessera

struct TrustImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Imports country certificates and revocation lists.",
    discussion: """
      A file can be a CSCA master list (.ml), a certificate or a certificate revocation list (DER or PEM), an LDIF file \
      of the ICAO PKD, or a zip archive of these. An https:// address is downloaded.

      A master list must be signed by a country whose certificate is imported already, or is named with --root. A newer \
      list replaces the older one of the same country. With --root, and in an archive, an LDIF file or a download, every \
      certificate must be verified; a certificate in a file of its own is trusted because you name it, so compare its \
      fingerprint first.

      Exit status: 0 imported; 2 nothing trusted leads to a list or a certificate, or a file has another format; 3 a \
      server cannot be reached; 5 a signature is wrong, a file is damaged, or no named root leads to the list. If one \
      file is refused, nothing is imported.

      Examples:
        tessera trust import DE_ML.ml --root DE_ROOT_CA.cer
        tessera trust import icaopkd-*.ldif
      """)

  @Argument(help: ArgumentHelp("Files or https:// addresses; - for standard input.", valueName: "file"))
  var files: [String]

  @Option(
    help: ArgumentHelp(
      """
      The certificate of the country signer to which the signer of a master list must lead, or its SHA-256 \
      fingerprint. Repeatable.
      """, valueName: "file"))
  var root: [String] = []

  @Flag(help: "Leave out certificates whose issuer is not known.")
  var strict = false

  @Flag(help: "Print one JSON object for each file.")
  var json = false

  func run() async throws {
    let roots = try await TrustRoots(root)
    var contents: [TrustFileContent] = []
    for file in files {
      contents.append(try TrustFileContent(try await TrustFiles.read(file), name: TrustFiles.name(file)))
    }
    let summaries = try TrustStore().update { material in
      var trust = TrustImport(
        to: material, roots: roots.certificates, rootFingerprints: roots.fingerprints, isStrict: strict)
      let summaries = try trust.add(contents)
      material = trust.material
      return summaries
    }
    for summary in summaries { try TrustSummaryOutput(summary: summary).show(asJSON: json) }
  }
}
