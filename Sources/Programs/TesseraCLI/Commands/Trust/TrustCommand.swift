import ArgumentParser

struct TrustCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust", abstract: "Keeps the certificates of countries, which say whether a document is genuine.",
    discussion: """
      The certificates are kept in $XDG_DATA_HOME/tessera/trust.

      Example, with the master list of the German BSI and its root certificate:
        tessera trust import DE_ML.ml --root DE_ROOT_CA.cer
      """,
    subcommands: [
      TrustImportCommand.self, TrustListCommand.self, TrustCheckCommand.self, TrustRemoveCommand.self,
      TrustExportCommand.self,
    ])
}
