import ArgumentParser
import Foundation
import Tessera

extension KeyCommand {
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes a private key out of the store \"file\", as PKCS#8 in PEM.",
      discussion: """
        A key under a passphrase leaves as it is; any other is encrypted under a passphrase that is asked for, or with \
        --unprotected not at all.

        Example:
          tessera key export release -o release-key.pem
        """)

    @Argument(help: "What the key is called.") var name: String
    @OptionGroup(title: "Where") var store: KeyStoreOptions
    @Option(help: ArgumentHelp("Read the exported file's passphrase from this file descriptor.", valueName: "n"))
    var newPassphraseFd: Int32?
    @Flag(help: "Do not encrypt the exported key.") var unprotected = false
    @Option(name: .shortAndLong, help: ArgumentHelp("Write it to this file, of mode 0600.", valueName: "file"))
    var output: String?

    func validate() throws {
      if unprotected, newPassphraseFd != nil {
        throw ValidationError("--unprotected and --new-passphrase-fd exclude each other.")
      }
    }

    func run() async throws {
      let name = try store.name(name)
      let secrets = try CommandSecrets([.key: store.passphraseFd, .newKey: newPassphraseFd])
      guard let keys = try store.open(.passphrase, secrets) as? FileKeyStore else {
        throw KeyStoreError.notExportable(store: store.store)
      }
      let (unprotected, isNew) = (unprotected, newPassphraseFd != nil)
      let text = try await Interruption.cancelling {
        if unprotected { return PEM.text("PRIVATE KEY", try await keys.privateKey(name).pkcs8) }
        if !isNew, let key = try await keys.encryptedKey(name) { return Self.text(key) }
        let key = try await keys.privateKey(name)
        guard let passphrase = try await secrets.ask(.newPassphrase(key: name.name), hint: nil) else {
          throw KeyStoreError.secretNeeded(.newPassphrase(key: name.name))
        }
        return Self.text(try EncryptedPrivateKey(key, under: passphrase, .passphrase))
      }
      let file = try OutputFile(output, mode: 0o600)
      try text.withUnsafeBytes { try file.write($0) }
      try file.finish()
      Note.write(
        unprotected
          ? "Warning: this is the private key, unencrypted. Whoever reads it can sign as you."
          : "Warning: this is the private key. Whoever has it and its passphrase can sign as you.")
    }

    private static func text(_ key: EncryptedPrivateKey) -> SecretBytes {
      PEM.text("ENCRYPTED PRIVATE KEY", SecretBytes(key.der))
    }
  }
}
