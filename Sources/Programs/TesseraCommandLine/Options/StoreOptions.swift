package import ArgumentParser
package import Tessera

/// The key store of the bridge.
package struct StoreOptions: ParsableArguments {
  package init() {}

  @Option(help: ArgumentHelp("The key store: file, tpm2 or a pkcs11: URI (RFC 7512).", valueName: "store"))
  package var store = "file"

  @Option(help: ArgumentHelp("Read a key's passphrase or a token's PIN from this file descriptor.", valueName: "n"))
  package var passphraseFd: Int32?

  /// Whether an option differs from its default.
  package var isGiven: Bool { store != "file" || passphraseFd != nil }

  /// - Parameter terminal: prompts for a secret that no descriptor provides.
  package func keys(asking terminal: TerminalSecrets = TerminalSecrets()) throws -> any KeyStore {
    try KeyStores.store(
      store, newKeys: .secretServiceOrKeyFile, secrets: try CommandSecrets([.key: passphraseFd], terminal: terminal))
  }
}
