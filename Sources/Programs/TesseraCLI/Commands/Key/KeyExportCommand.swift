import ArgumentParser
import Tessera
import TesseraCommandLine

extension KeyCommand {
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Exports a private key from \(KeyStores.named(.exchange)) as PKCS#8 in PEM.",
      discussion: """
        A key with a passphrase keeps that passphrase. For any other key, the command prompts for a new passphrase, \
        unless --unprotected is used.

        Example:
          tessera key export release -o release-key.pem
        """)

    @Argument(help: "The name of the key.", completion: NameCompletion.keys) var name: String
    @OptionGroup(title: "Key store") var store: KeyStoreOptions
    @Option(help: ArgumentHelp("Read the passphrase of the exported file from this file descriptor.", valueName: "n"))
    var newPassphraseFd: Int32?
    @Flag(help: "Do not encrypt the exported key.") var unprotected = false
    @Option(
      name: .shortAndLong, help: ArgumentHelp("Write to this file, with mode 0600.", valueName: "file"),
      completion: .file())
    var output: String?

    func validate() throws {
      if unprotected, newPassphraseFd != nil {
        throw ValidationError("--unprotected and --new-passphrase-fd are mutually exclusive.")
      }
    }

    func run() async throws {
      try DistinctFiles.check(outputs: [output], inputs: [DistinctFiles.keys])
      let name = try store.name(name)
      let secrets = try CommandSecrets([.key: store.passphraseFd, .newKey: newPassphraseFd])
      guard let keys = try store.open(.passphrase, secrets) as? any PortableKeyStore else {
        throw KeyStoreError.notExportable(store: store.store)
      }
      let (unprotected, isNew) = (unprotected, newPassphraseFd != nil)
      let text = try await Interruption.cancelling {
        if unprotected { return PEM.text("PRIVATE KEY", try await keys.privateKey(name).pkcs8) }
        if !isNew, let key = try await keys.encryptedKey(name) { return Self.text(key) }
        let key = try await keys.privateKey(name)
        return Self.text(try EncryptedPrivateKey(key, under: try await Self.passphrase(name, secrets), .passphrase))
      }
      let file = try OutputFile(output, mode: 0o600)
      try text.withUnsafeBytes { try file.write($0) }
      try file.finish(.pem)
      Note.write(
        unprotected
          ? "Warning: The exported private key is not encrypted. Anyone who can read it can sign as you."
          : "Warning: This is the private key. Anyone who has it and its passphrase can sign as you.")
    }

    private static func passphrase(_ name: KeyName, _ secrets: CommandSecrets) async throws -> SecretBytes {
      let prompt = SecretPrompt.newPassphrase(key: name.name)
      let failure: Failure
      do {
        if let passphrase = try await secrets.ask(prompt, hint: nil) { return passphrase }
        failure = KeyStoreError.secretNeeded(prompt).failure
      } catch let error as KeyStoreError {
        failure = error.failure
      }
      // The option has another name here.
      throw Failure(
        failure.kind, failure.cause,
        remedy: "Run the command on a terminal, or use --new-passphrase-fd to read it from a file descriptor.")
    }

    private static func text(_ key: EncryptedPrivateKey) -> SecretBytes {
      PEM.text("ENCRYPTED PRIVATE KEY", SecretBytes(key.der))
    }
  }
}
