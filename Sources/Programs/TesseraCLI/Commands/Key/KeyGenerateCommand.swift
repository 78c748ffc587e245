import ArgumentParser
import Tessera
import TesseraCommandLine

extension KeyCommand {
  struct Generate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "generate",
      abstract: "Generates a key.",
      discussion: """
        \(KeyStores.help)

        Examples:
          tessera key generate release
          tessera key generate release --passphrase-fd 3 3< pass.txt
          tessera key generate release --store tpm2
          tessera key generate release --store "pkcs11:token=work"
        """)

    @Argument(help: "The name of the key.") var name: String
    @OptionGroup(title: "Key store") var store: KeyStoreOptions
    @OptionGroup(title: "New key") var new: NewKeyOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
      let name = try store.name(name)
      let secrets = try CommandSecrets([.key: store.passphraseFd, .newKey: store.passphraseFd])
      let keys = try store.open(try new.newKeys(store), secrets)
      let new = new
      let key = try await Interruption.cancelling {
        try await new.create(name) { try await keys.generate(name, confirmation: $0, replacing: new.replace) }
      }
      try KeyOutput.show(key, asJSON: json)
    }
  }
}
