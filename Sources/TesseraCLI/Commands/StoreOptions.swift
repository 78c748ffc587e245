import ArgumentParser
import Tessera

/// The key store of the bridge.
struct StoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The key store: file, tpm2 or a pkcs11: URI (RFC 7512).", valueName: "store"))
  var store = "file"

  @Option(help: ArgumentHelp("Read a key's passphrase or a token's PIN from this file descriptor.", valueName: "n"))
  var passphraseFd: Int32?

  /// Whether an option differs from its default.
  var isGiven: Bool { store != "file" || passphraseFd != nil }

  /// - Parameter terminal: prompts for a secret that no descriptor provides.
  func keys(asking terminal: TerminalSecrets = TerminalSecrets()) throws -> any KeyStore {
    try KeyStores.store(
      store, newKeys: .secretServiceOrKeyFile, secrets: try CommandSecrets([.key: passphraseFd], terminal: terminal))
  }
}
