import ArgumentParser
import Foundation
import Tessera

extension KeyCommand {
  struct Generate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a key.",
      discussion: """
        In the store "file" the key is encrypted: under a secret in the desktop's keyring (Secret Service) where there \
        is one, otherwise under a passphrase.

        Examples:
          tessera key generate release
          tessera key generate release --passphrase-fd 3 3< pass.txt
          tessera key generate release --store tpm2
          tessera key generate release --store "pkcs11:token=work"
        """)

    @Argument(help: "What the key is called.") var name: String
    @OptionGroup(title: "Where") var store: KeyStoreOptions
    @OptionGroup(title: "New key") var new: NewKeyOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
      let name = try store.name(name)
      let secrets = try CommandSecrets([.key: store.passphraseFd, .newKey: store.passphraseFd])
      let keys = try store.open(try new.newKeys(store), secrets)
      let new = new
      let key = try await Interruption.cancelling {
        try await new.making(name) { try await keys.generate(name, confirmation: $0, replacing: new.replace) }
      }
      try KeyOutput.tell(key, asJSON: json)
    }
  }
}
