import ArgumentParser
import Tessera
import TesseraCommandLine

extension KeyCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "Lists the keys in \(KeyStores.named(.listing)), or in one store.",
      discussion: """
        A confirmation policy (`tessera key confirm`) applies to a name. The list includes names with a policy but without a \
        key in these stores.

        Examples:
          tessera key list
          tessera key list --json
          tessera key list --store "pkcs11:token=work"
        """)

    @Option(help: ArgumentHelp("List only this store: \(KeyStores.choices).", valueName: "store"))
    var store: String?

    @Option(help: ArgumentHelp("Read a token's PIN from this file descriptor.", valueName: "n"))
    var passphraseFd: Int32?

    @Flag(help: "Print one JSON object.") var json = false

    /// What names the store in another command. The URI of a token may contain its PIN.
    private var storeOption: String {
      guard let store, store != KeyStores.standard else { return "" }
      return KeyStores.ownStores.contains(store) ? " --store \(store)" : " --store URI"
    }

    func run() async throws {
      let secrets = try CommandSecrets([.key: passphraseFd])
      let stores = try (store.map { [$0] } ?? KeyStores.ownStores).map {
        try KeyStores.store($0, newKeys: .passphrase, secrets: secrets)
      }
      let policies = try ConfirmationPolicies().all()
      let (keys, damaged) = try await Interruption.cancelling {
        var (keys, damaged): ([StoredKey], [KeyName]) = ([], [])
        for store in stores {
          keys += try await store.keys()
          damaged += try await store.damagedKeys()
        }
        return (keys, damaged)
      }
      // An empty list would say that the store is there.
      if keys.isEmpty, damaged.isEmpty, let store, let obstacle = KeyStores.obstacle(store) { throw obstacle }
      for name in damaged {
        Note.write("Warning: the file of the key \"\(Terminal.printable(name.name))\" is damaged.")
      }
      if json {
        let object: JSONValue = [
          "keys": .array(try keys.map(KeyOutput.object)),
          "policies": .array(policies.map { KeyOutput.policy($0.name, $0.policy) }),
        ]
        return try StandardOutput.write(object.text)
      }
      if keys.isEmpty { Note.write("No keys found. Run `tessera key generate NAME\(storeOption)` to generate one.") }
      let names = Set(keys.map(\.name))
      let others = policies.filter { !names.contains($0.name) }
      if !keys.isEmpty || !others.isEmpty { try StandardOutput.write(try KeyOutput.table(keys, policies: others)) }
    }
  }
}
