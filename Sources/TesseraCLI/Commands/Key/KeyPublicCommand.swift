import ArgumentParser
import Foundation
import Tessera

extension KeyCommand {
  struct Public: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "public", abstract: "Prints a public key.",
      discussion: """
        Forms: pem; der; base64 (the DER form in one line); point (uncompressed, 65 bytes); jwk; ssh (a line for \
        authorized_keys).

        Examples:
          tessera key public release > release.pem
          tessera key public release --format jwk
        """)

    @Argument(help: "What the key is called.") var name: String
    @OptionGroup(title: "Where") var store: KeyStoreOptions
    @Option(help: "The form: pem, der, base64, point, jwk, ssh.") var format = PublicKeyFormat.pem
    @Option(name: .shortAndLong, help: ArgumentHelp("Write it to this file.", valueName: "file")) var output: String?

    @Flag(help: "Print one JSON object with all that is known of the key.") var json = false

    func run() async throws {
      if format.isBinary, !json {
        try OutputFile.checkNoTerminal(output, remedy: "Give -o FILE, or --format base64.")
      }
      let name = try store.name(name)
      let keys = try store.existing()
      let key = try await Interruption.cancelling { try await keys.key(name) }
      if json { return try StandardOutput.write(try KeyOutput.object(key).text) }
      let file = try OutputFile(output)
      try file.write(format.encode(key.publicKey, comment: name.name))
      try file.finish()
    }
  }
}
