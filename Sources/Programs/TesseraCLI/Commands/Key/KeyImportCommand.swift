import ArgumentParser
import Tessera
import TesseraCommandLine

extension KeyCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Imports a private key into \(KeyStores.named(.exchange)).",
      discussion: """
        Reads PKCS#8 (plain or encrypted) and SEC 1, in PEM or DER. The source file is not changed.

        Examples:
          tessera key import release key.pem
          openssl ecparam -name prime256v1 -genkey |
            tessera key import release -
        """)

    @Argument(help: "The name of the new key.") var name: String
    @Argument(
      help: ArgumentHelp("The file with the private key; - for standard input.", valueName: "file|-"),
      completion: .file()) var file: String
    @OptionGroup(title: "Key store") var store: KeyStoreOptions
    @OptionGroup(title: "New key") var new: NewKeyOptions
    @Option(help: ArgumentHelp("Read the passphrase of the source file from this file descriptor.", valueName: "n"))
    var sourcePassphraseFd: Int32?
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
      let name = try store.name(name)
      let secrets = try CommandSecrets([.newKey: store.passphraseFd, .importedFile: sourcePassphraseFd])
      guard let keys = try store.open(try new.newKeys(store), secrets) as? any PortableKeyStore else {
        throw KeyStoreError.notImportable(store: store.store)
      }
      let (new, file) = (new, file)
      let key = try await Interruption.cancelling {
        let key = try await ImportedKey.read(InputFile(path: file).readSecret(upTo: 65_536), secrets)
        return try await new.create(name) {
          try await keys.import(key, as: name, confirmation: $0, replacing: new.replace)
        }
      }
      try KeyOutput.show(key, asJSON: json)
    }
  }
}
