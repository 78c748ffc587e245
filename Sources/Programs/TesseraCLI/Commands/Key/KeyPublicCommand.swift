import ArgumentParser
import Tessera
import TesseraCommandLine

extension KeyCommand {
  struct Public: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "public", abstract: "Prints a public key.",
      discussion: """
        Formats: pem; der; base64 (DER in one line); point (uncompressed, 65 bytes); jwk; ssh (a line for \
        authorized_keys).

        Examples:
          tessera key public release > release.pem
          tessera key public release --format jwk
        """)

    @Argument(help: "The name of the key.", completion: NameCompletion.keys) var name: String
    @OptionGroup(title: "Key store") var store: KeyStoreOptions
    @Option(help: "The format: pem, der, base64, point, jwk or ssh.") var format = PublicKeyFormat.pem
    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Print one JSON object with all properties of the key.") var json = false

    func run() async throws {
      if format.isBinary, !json {
        try OutputFile.checkNoTerminal(output, remedy: "Use -o FILE, or --format base64.")
      }
      try DistinctFiles.check(outputs: [output], inputs: [DistinctFiles.keys])
      let name = try store.name(name)
      let keys = try store.existing()
      let key = try await Interruption.cancelling { try await keys.key(name) }
      if json {
        if let output, output != "-", !PrivateFile.isStream(output) {
          Note.write("\(output) was not written, since --json prints the key.")
        }
        return try StandardOutput.write(try KeyOutput.object(key).text)
      }
      let file = try OutputFile(output)
      try file.write(format.encode(key.publicKey, comment: name.name))
      try file.finish(WrittenFormat(format))
    }
  }
}
