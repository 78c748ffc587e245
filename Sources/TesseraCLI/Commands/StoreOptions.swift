import ArgumentParser
import Tessera

/// Where the bridge's keys are.
struct StoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Where keys are: file, tpm2 or a pkcs11: URI (RFC 7512).", valueName: "store"))
  var store = "file"

  @Option(help: ArgumentHelp("Read a key's passphrase or a token's PIN from this file descriptor.", valueName: "n"))
  var passphraseFd: Int32?

  /// Whether anything was said of it.
  var isGiven: Bool { store != "file" || passphraseFd != nil }

  /// - Parameter terminal: who is asked where the descriptor does not say.
  func keys(asking terminal: TerminalSecrets = TerminalSecrets()) throws -> any KeyStore {
    try KeyStores.store(
      store, newKeys: .secretServiceOrKeyFile, secrets: try CommandSecrets([.key: passphraseFd], terminal: terminal))
  }
}
