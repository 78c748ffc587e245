import ArgumentParser
import TesseraCommandLine
import TesseraFleet

struct TrustCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust", abstract: "Publishes certificates of countries to the inspectors.", subcommands: [Import.self]
  )

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Publishes country certificates and revocation lists to the inspectors.",
      discussion: TrustImportOptions.discussion)

    @OptionGroup var options: TrustImportOptions

    func validate() throws {
      try options.fleet.requireServers()
      if options.strict { throw ValidationError("--strict has no effect with --fleet.") }
    }

    func run() async throws {
      let roots = try await TrustRoots(options.root)
      var files: [TrustFileBytes] = []
      for file in options.files {
        files.append(TrustFileBytes(name: TrustFiles.name(file), bytes: try await TrustFiles.read(file)))
      }
      let given = files
      let publication = try await Interruption.cancelling {
        try await options.fleet.withAdministrator { connection in
          try await TrustBucket(connection).publish(
            given, roots: roots.certificates, rootFingerprints: roots.fingerprints, replacing: options.replace)
        }
      }
      for summary in publication.summaries { try TrustSummaryOutput(summary).show(asJSON: options.json) }
      if !options.json {
        try StandardOutput.write("The inspectors of the fleet have version \(publication.version) now.")
      }
    }
  }
}
