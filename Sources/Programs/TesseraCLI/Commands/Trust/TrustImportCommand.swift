import ArgumentParser
import Tessera
import TesseraCommandLine

struct TrustImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Imports country certificates and revocation lists.",
    discussion: TrustImportOptions.discussion)

  @OptionGroup var options: TrustImportOptions

  func run() async throws {
    if options.fleet.isGiven { try SiblingProgram.fleet.replaceProcess() }
    let roots = try await TrustRoots(options.root)
    let contents = try await options.contents()
    let summaries = try TrustStore().update { material in
      var trust = TrustImport(
        to: material, roots: roots.certificates, rootFingerprints: roots.fingerprints, isStrict: options.strict)
      let summaries = try trust.add(contents)
      material = trust.material
      return summaries
    }
    for summary in summaries { try TrustSummaryOutput(summary).show(asJSON: options.json) }
  }
}
