import ArgumentParser

struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Generates P-256 keys and signs with them.",
    discussion: """
      Keys are stored in encrypted files, in a PKCS#11 token or in a TPM.

      Examples:
        tessera key generate release
        tessera key sign release tessera.tar -o tessera.tar.sig
        tessera key verify release tessera.tar.sig tessera.tar
      """,
    subcommands: [
      Generate.self, List.self, Public.self, Confirm.self, Sign.self, Verify.self, Delete.self, Import.self,
      Export.self,
      Request.self,
    ])
}
