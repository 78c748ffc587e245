import Foundation
import TesseraCore
import TesseraCryptography
import TesseraKeys
import TesseraSecretService
import TesseraThreads
import TestSupport
import Testing

extension RealPrograms {
  @Suite("FileKeyStore")
  struct FileKeyStoreTests {
    let folder: TemporaryFolder
    let name: KeyName
    static let digest = [UInt8](repeating: 5, count: 32)

    init() throws {
      folder = try TemporaryFolder()
      name = try KeyName("k")
    }

    private func store(_ newKeys: FileKeyStore.NewKeys, _ secrets: any SecretPrompting = NonInteractive())
      -> FileKeyStore
    {
      FileKeyStore(path: folder.url.path, newKeys: newKeys, secrets: secrets, secretService: { nil })
    }

    private var file: String { folder.file("file/local/k.pem") }

    private func mode(_ path: String) -> UInt32? {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test("files are private to the user, and keys are encrypted unless requested otherwise")
    func protection() async throws {
      let cases: [(FileKeyStore.NewKeys, StoredKey.Protection, String)] = [
        (.unprotected, .unprotected, "-----BEGIN PRIVATE KEY-----"),
        (.secretServiceOrKeyFile, .keyFile, "-----BEGIN ENCRYPTED PRIVATE KEY-----"),
        (.passphrase, .passphrase, "-----BEGIN ENCRYPTED PRIVATE KEY-----"),
        (.secretServiceOrPassphrase, .passphrase, "-----BEGIN ENCRYPTED PRIVATE KEY-----"),
      ]
      for (newKeys, protection, envelope) in cases {
        let store = store(newKeys, OneSecret("secret"))
        #expect(try await store.generate(name, confirmation: .never, replacing: true).protection == protection)
        #expect(mode(file) == 0o600)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(envelope))
        #expect(text.components(separatedBy: "-----BEGIN").count == 3)
        _ = try await store.sign(digest: Self.digest, with: name)
      }
      for path in ["file", "file/local"] { #expect(mode(folder.file(path)) == 0o700) }
      #expect(mode(folder.file("file/wrapping-secret")) == 0o600)
    }

    @Test("without a prompt for the passphrase, no key is generated")
    func nonInteractive() async throws {
      let store = store(.secretServiceOrPassphrase)
      await #expect(throws: KeyStoreError.secretNeeded(.newPassphrase(key: "k"))) {
        try await store.generate(name, confirmation: .never, replacing: false)
      }
      #expect(try await store.keys().isEmpty)
    }

    @Test("reports a wrong passphrase; the right one also opens the file in OpenSSL")
    func passphrase() async throws {
      _ = try await store(.passphrase, OneSecret("right")).generate(name, confirmation: .never, replacing: false)
      await #expect(throws: KeyStoreError.wrongPassphrase) {
        try await store(.passphrase, OneSecret("wrong")).sign(digest: Self.digest, with: name)
      }
      await #expect(throws: KeyStoreError.secretNeeded(.passphrase(key: "k"))) {
        try await store(.passphrase).sign(digest: Self.digest, with: name)
      }
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/openssl"), ["pkey", "-in", file, "-passin", "pass:right", "-pubout"]
      ).finish(within: 120)
      let key = try await store(.passphrase).key(name).publicKey
      #expect(try PublicKeyFormat.decode(Array(run.output.utf8)) == key)
    }

    @Test("prompts once for all tasks that use the key")
    func askedOnce() async throws {
      // An open key is closed a second later, so the prompt is answered when all tasks wait for the key.
      let isAnswered = Locked(true)
      let secrets = OneSecret("right") { isAnswered.withLock { $0 } }
      let store = store(.passphrase, secrets)
      let key = try await store.generate(name, confirmation: .never, replacing: false).publicKey
      try await withThrowingTaskGroup { group in
        isAnswered.withLock { $0 = false }
        for _ in 0..<32 { group.addImmediateTask { try await store.sign(digest: Self.digest, with: name) } }
        isAnswered.withLock { $0 = true }
        for try await signature in group { #expect(try key.verify(signature, digest: Self.digest)) }
      }
      #expect(await secrets.prompts == [.newPassphrase(key: "k"), .passphrase(key: "k")])
    }

    @Test("cancelling one task that waits for a passphrase does not affect the others")
    func cancellation() async throws {
      let mayAnswer = Locked(true)
      let secrets = OneSecret("right") { mayAnswer.withLock { $0 } }
      let store = store(.passphrase, secrets)
      _ = try await store.generate(name, confirmation: .never, replacing: false)
      mayAnswer.withLock { $0 = false }
      let tasks = (0..<2).map { _ in Task.immediate { try await store.sign(digest: Self.digest, with: name) } }
      let (waiting, cancelled) = (tasks[0], tasks[1])
      try await eventually { await secrets.prompts.count == 2 }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      mayAnswer.withLock { $0 = true }
      await #expect(throws: Never.self) { try await waiting.value }
      // The only waiting task can be cancelled, too.
      let silent = OneSecret("right") { false }
      let stuck = self.store(.passphrase, silent)
      let alone = Task { try await stuck.sign(digest: Self.digest, with: name) }
      try await eventually { await !silent.prompts.isEmpty }
      alone.cancel()
      await #expect(throws: CancellationError.self) { try await alone.value }
    }

    @Test("detects changes of a key by another process immediately")
    func otherProcess() async throws {
      let here = store(.unprotected)
      let there = store(.unprotected)
      _ = try await here.generate(name, confirmation: .never, replacing: false)
      _ = try await here.sign(digest: Self.digest, with: name)
      let key = try await there.generate(name, confirmation: .never, replacing: true).publicKey
      #expect(try key.verify(await here.sign(digest: Self.digest, with: name), digest: Self.digest))
      try await there.delete(name)
      await #expect(throws: KeyStoreError.notFound(name, store: "file")) {
        try await here.sign(digest: Self.digest, with: name)
      }
    }

    @Test("reports a file with any changed byte, or truncated to any length, as damaged")
    func damage() async throws {
      let store = store(.secretServiceOrKeyFile)
      let key = try await store.generate(name, confirmation: .never, replacing: false).publicKey
      let whole = try Data(contentsOf: URL(fileURLWithPath: file))
      let lengths = stride(from: 0, to: whole.count, by: 7).map { whole.prefix($0) }
      let changes = stride(from: 0, to: whole.count, by: 3).map { place in
        var changed = whole
        changed[place] ^= 0x15
        return changed
      }
      for content in lengths + changes {
        try Data(content).write(to: URL(fileURLWithPath: file))
        do {
          let signature = try await store.sign(digest: Self.digest, with: name)
          #expect(try key.verify(signature, digest: Self.digest))
        } catch {
          #expect(Failure(error).kind == .keyStoreFailed, "\(error)")
        }
      }
    }

    @Test("detects a public key that does not match the private key")
    func exchange() async throws {
      let store = store(.unprotected)
      let other = try KeyName("other")
      _ = try await store.generate(name, confirmation: .never, replacing: false)
      _ = try await store.generate(other, confirmation: .never, replacing: false)
      let mine = try String(contentsOfFile: file, encoding: .utf8)
      let theirs = try String(contentsOfFile: folder.file("file/local/other.pem"), encoding: .utf8)
      let marker = "-----BEGIN PUBLIC KEY-----"
      let mixed =
        (mine.components(separatedBy: marker).first ?? "") + marker
        + (theirs.components(separatedBy: marker).last ?? "")
      try mixed.write(toFile: file, atomically: true, encoding: .utf8)
      await #expect(throws: KeyStoreError.damaged(name, "its public key does not match its private key")) {
        try await store.sign(digest: Self.digest, with: name)
      }
    }

    @Test("does not follow a symbolic link in place of a key")
    func link() async throws {
      let store = store(.unprotected)
      let other = try KeyName("other")
      _ = try await store.generate(other, confirmation: .never, replacing: false)
      try FileManager.default.createSymbolicLink(
        atPath: file, withDestinationPath: folder.file("file/local/other.pem"))
      await #expect(throws: KeyStoreError.self) { try await store.sign(digest: Self.digest, with: name) }
    }

    @Test("deleting one of two names of the same key keeps the other", .enabled(if: SecretServiceLab.isEnabled))
    func secretService() async throws {
      let lab = try await SecretServiceLab()
      let store = FileKeyStore(
        path: folder.url.path, newKeys: .secretServiceOrPassphrase, secrets: NonInteractive(),
        secretService: { try await SecretService.connect(address: lab.address) })
      let key = try SigningKey.generate()
      let names = try ["one", "two"].map { try KeyName($0) }
      for name in names {
        #expect(
          try await store.import(key, as: name, confirmation: .never, replacing: false).protection == .secretService)
      }
      #expect(try await store.delete(names[0]))
      // A new instance, in which the key is not open.
      let next = FileKeyStore(
        path: folder.url.path, newKeys: .secretServiceOrPassphrase, secrets: NonInteractive(),
        secretService: { try await SecretService.connect(address: lab.address) })
      let signature = try await next.sign(digest: Self.digest, with: names[1])
      #expect(try key.publicKey.verify(signature, digest: Self.digest))
      // Without the keyring the key cannot be opened.
      await #expect(throws: KeyStoreError.noKeyring(names[1])) {
        try await self.store(.passphrase).sign(digest: Self.digest, with: names[1])
      }
      let service = try #require(try await SecretService.connect(address: lab.address))
      #expect(try await service.delete(["xdg:schema": "org.tessera.KeyFile"]))
      await #expect(throws: KeyStoreError.wrappingSecretMissing(names[1])) {
        try await FileKeyStore(
          path: folder.url.path, newKeys: .passphrase, secrets: NonInteractive(), secretService: { service }
        ).sign(digest: Self.digest, with: names[1])
      }
    }

    @Test("a change locks only the folder of its own owner")
    func ownFolder() async throws {
      let store = store(.unprotected)
      let other = try KeyName("k", owner: .web(origin: "https://one.example"))
      for name in [name, other] { _ = try await store.generate(name, confirmation: .never, replacing: false) }
      let theirs = "file/https%3A%2F%2Fone.example"
      for place in ["file/local", theirs] {
        try Data().write(to: URL(fileURLWithPath: folder.file("\(place)/.new-6F9619FF-8B86-D011-B42D-00CF4FC964FF")))
      }
      let locks = ["file", theirs].map { open(folder.file($0), O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
      defer { for descriptor in locks { close(descriptor) } }
      for descriptor in locks { #expect(flock(descriptor, LOCK_EX) == 0) }
      _ = try await store.generate(name, confirmation: .never, replacing: true)
      #expect(try await store.delete(name))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("file/local")).isEmpty)
      #expect(
        FileManager.default.fileExists(atPath: folder.file("\(theirs)/.new-6F9619FF-8B86-D011-B42D-00CF4FC964FF")))
    }

    @Test("a policy in a key file of an earlier version applies until another is set")
    func earlierPolicy() async throws {
      let store = store(.unprotected)
      let name = try KeyName("k", owner: .web(origin: "https://one.example"))
      let file = folder.file("file/https%3A%2F%2Fone.example/k.pem")
      func writeEarlier() async throws {
        _ = try await store.generate(name, confirmation: .never, replacing: true)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing("Protection: ", with: "Confirm: always\nProtection: ").write(
          toFile: file, atomically: true, encoding: .utf8)
      }
      try await writeEarlier()
      #expect(try await store.key(name).confirmation == .always)
      try ConfirmationPolicies(path: folder.url.path).set(.never, of: name)
      #expect(try await store.key(name).confirmation == .never)
      try FileManager.default.removeItem(atPath: folder.file("confirmation"))
      try await store.delete(name)
      #expect(try await store.generate(name, confirmation: .never, replacing: false).confirmation == .always)
    }
  }
}
