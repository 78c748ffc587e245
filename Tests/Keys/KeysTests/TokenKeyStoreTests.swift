import Foundation
import TesseraCore
import TesseraCryptography
import TesseraKeys
import TesseraSecretService
import TestSupport
import Testing

extension RealPrograms {
  @Suite("TokenKeyStore")
  struct TokenKeyStoreTests {
    static let digest = [UInt8](repeating: 5, count: 32)

    @Test(
      "rejects unusable URIs before it loads a module",
      arguments: [
        "pkcs11:token=t;pin-value=1", "pkcs11:token=t?pin-value=1", "pkcs11:token=%zz", "pkcs11:token=t;nonsense=1",
        "pkcs11:token=t?pin-source=|cat%20/etc/passwd", "pkcs11:token=t?pin-source=pin.txt",
        "pkcs11:token=t?pin-source=https://example.com/pin",
      ])
    func badURI(_ uri: String) throws {
      do {
        _ = try TokenKeyStore(uri: uri, secrets: NonInteractive())
        Issue.record("the URI was accepted")
      } catch let error as TokenError {
        #expect(error.failure.kind == .usage)
        #expect(!error.failure.description.contains("passwd"))
      }
    }

    @Test(
      "names the attribute that it does not know, or that is in the wrong part, and no value",
      arguments: [
        ("pkcs11:token=work&pin-source=file:/secret", "pin-source belongs behind a ?, in the query"),
        ("pkcs11:token=work&module-path=/secret?pin-source=/secret", "module-path belongs behind a ?, in the query"),
        ("pkcs11:token=work;nonsense=secret", "it contains the unknown attribute nonsense"),
        ("pkcs11:model=\(String(repeating: "secret", count: 9))", "the value of an attribute is unknown or too long"),
        ("pkcs11:token=work;type=secret", "the value of an attribute is unknown or too long"),
        ("pkcs11:token=work;module-path=/secret", "module-path belongs behind a ?, in the query"),
        ("pkcs11:token=work;module-name=secret", "module-name belongs behind a ?, in the query"),
      ])
    func unknownAttribute(_ uri: String, _ reason: String) throws {
      let error = #expect(throws: TokenError.self) { try TokenKeyStore(uri: uri, secrets: NonInteractive()) }
      #expect(error?.failure.cause == "The pkcs11: URI is unusable: \(reason).", "\(uri)")
      #expect(error?.failure.description.contains("secret") == false, "\(uri)")
    }

    @Test("reports an invalid module and a missing token")
    func missing() async throws {
      let name = try KeyName("k")
      for (uri, kind) in [
        ("pkcs11:token=t?module-path=/proc/nonexistent.so", FailureKind.keyStoreUnavailable),
        ("pkcs11:token=t?module-path=/bin/true", .keyStoreUnavailable),
        ("pkcs11:token=no-such-token", .keyStoreUnavailable),
      ] {
        let store = try TokenKeyStore(uri: uri, secrets: NonInteractive(), secretService: { nil })
        do {
          _ = try await store.key(name)
          Issue.record("\(uri) returned a key")
        } catch {
          #expect(Failure(error).kind == kind, "\(uri): \(error)")
        }
      }
    }

    @Test("prompts for the PIN once", .enabled(if: TokenLab.isEnabled))
    func pin() async throws {
      let lab = try await TokenLab()
      let folder = try TemporaryFolder()
      let name = try KeyName("k")
      func store(_ secrets: any SecretPrompting) throws -> TokenKeyStore {
        try TokenKeyStore(uri: lab.uri, secrets: secrets, path: folder.url.path, secretService: { nil })
      }
      let user = OneSecret(TokenLab.pin)
      let right = try store(user)
      let key = try await right.generate(name, confirmation: .never, replacing: false).publicKey
      try await withThrowingTaskGroup { group in
        for _ in 0..<16 { group.addTask { try await right.sign(digest: Self.digest, with: name) } }
        for try await signature in group { #expect(try key.verify(signature, digest: Self.digest)) }
      }
      #expect(await user.prompts == [.pin(token: lab.label)])

      // Without the PIN, only the public key is available.
      let nonInteractive = try store(NonInteractive())
      #expect(try await nonInteractive.key(name).publicKey == key)
      #expect(try await nonInteractive.keys().map { try $0.publicKey } == [key])
    }

    @Test("uses keys of other tools, and other tools use keys of this store", .enabled(if: TokenLab.isEnabled))
    func foreign() async throws {
      let lab = try await TokenLab()
      let folder = try TemporaryFolder()
      let made = try await lab.tool(["--keypairgen", "--key-type", "EC:prime256v1", "--label", "theirs", "--id", "07"])
      #expect(made.status == 0, "\(made.errors)")
      let store = try TokenKeyStore(
        uri: lab.uriWithPIN, secrets: NonInteractive(), path: folder.url.path, secretService: { nil })
      let theirs = try await store.key(KeyName("theirs"))
      #expect(theirs.confirmation == .never)
      let signature = try await store.sign(digest: Self.digest, with: theirs.name)
      #expect(try theirs.publicKey.verify(signature, digest: Self.digest))

      let ours = try await store.generate(KeyName("ours"), confirmation: .never, replacing: false)
      try Data(Self.digest).write(to: folder.url.appendingPathComponent("digest"))
      let objects = try await lab.tool(["--list-objects", "--type", "privkey"])
      // The token generated the key, which is not extractable.
      #expect(objects.output.contains("never extractable"), "\(objects.output)")
      let identifier = objects.output.components(separatedBy: "label:      ours\n").last?
        .components(separatedBy: "ID:").dropFirst().first?.prefix { $0 != "\n" }.filter(\.isHexDigit)
      let signed = try await lab.tool([
        "--sign", "--mechanism", "ECDSA", "--id", identifier ?? "", "--signature-format", "rs", "--input-file",
        folder.file("digest"), "--output-file", folder.file("signature"),
      ])
      #expect(signed.status == 0, "\(signed.errors)")
      let raw = try P256Signature(raw: folder.bytes("signature"))
      #expect(try ours.publicKey.verify(raw, digest: Self.digest))

      // Deletes only the pair with this name.
      #expect(try await store.delete(theirs.name))
      #expect(try await store.keys().map(\.name) == [ours.name])
    }

    @Test("signs with a key that requires the PIN for each signature", .enabled(if: TokenLab.isEnabled))
    func alwaysAuthenticate() async throws {
      let lab = try await TokenLab()
      let folder = try TemporaryFolder()
      let made = try await lab.tool([
        "--keypairgen", "--key-type", "EC:prime256v1", "--label", "slow", "--id", "09", "--always-auth",
      ])
      #expect(made.status == 0, "\(made.errors)")
      let name = try KeyName("slow")
      func store(_ uri: String, _ secrets: any SecretPrompting) throws -> TokenKeyStore {
        try TokenKeyStore(uri: uri, secrets: secrets, path: folder.url.path, secretService: { nil })
      }
      let user = OneSecret(TokenLab.pin)
      let asked = try store(lab.uri, user)
      let key = try await asked.key(name).publicKey
      for _ in 0..<3 { #expect(try key.verify(await asked.sign(digest: Self.digest, with: name), digest: Self.digest)) }
      #expect(await user.prompts.count == 4, "once for the login, and once for each signature")
      let stored = try store(lab.uriWithPIN, NonInteractive())
      for _ in 0..<2 { _ = try await stored.sign(digest: Self.digest, with: name) }

      // A wrong PIN fails one signature, but not the following ones. (This process is already logged in.)
      let forgetful = SecretSequence(["000000", TokenLab.pin, TokenLab.pin])
      let shaken = try store(lab.uri, forgetful)
      await #expect(throws: TokenError.wrongPIN) { try await shaken.sign(digest: Self.digest, with: name) }
      for _ in 0..<2 { _ = try await shaken.sign(digest: Self.digest, with: name) }
    }

    /// Provides a sequence of secrets.
    actor SecretSequence: SecretPrompting {
      private var secrets: [String]
      init(_ secrets: [String]) { self.secrets = secrets }
      func ask(_ question: SecretPrompt, hint: String?) async throws -> SecretBytes? {
        secrets.isEmpty ? nil : SecretBytes(Array(secrets.removeFirst().utf8))
      }
    }

    @Test("ignores keys on other curves, and reports ambiguous names", .enabled(if: TokenLab.isEnabled))
    func others() async throws {
      let lab = try await TokenLab()
      let folder = try TemporaryFolder()
      let store = try TokenKeyStore(
        uri: lab.uriWithPIN, secrets: NonInteractive(), path: folder.url.path, secretService: { nil })
      for (label, curve, id) in [
        ("p384", "secp384r1", "01"), ("twin", "prime256v1", "02"), ("twin", "prime256v1", "03"),
      ] {
        let made = try await lab.tool(["--keypairgen", "--key-type", "EC:\(curve)", "--label", label, "--id", id])
        #expect(made.status == 0, "\(made.errors)")
      }
      let twin = try KeyName("twin")
      #expect(try await !store.delete(KeyName("p384")))
      await #expect(throws: TokenError.ambiguousKey) { try await store.delete(twin) }
      await #expect(throws: TokenError.ambiguousKey) { try await store.sign(digest: Self.digest, with: twin) }
      // The id in the URI resolves the ambiguity.
      let second = try TokenKeyStore(
        uri: lab.uriWithPIN.replacing("?", with: ";id=%03?"), secrets: NonInteractive(), path: folder.url.path,
        secretService: { nil })
      let key = try await second.key(twin).publicKey
      #expect(try key.verify(await second.sign(digest: Self.digest, with: twin), digest: Self.digest))
      #expect(try await second.delete(twin))
      #expect(try await store.key(twin).publicKey != key)
      let objects = try await lab.tool(["--list-objects", "--type", "privkey"])
      #expect(objects.output.contains("p384"))
      for part in [";slot-id=77777?", ";library-manufacturer=nobody?"] {
        let uri = lab.uriWithPIN.replacing("?", with: part)
        await #expect(throws: TokenError.noToken) {
          try await TokenKeyStore(uri: uri, secrets: NonInteractive(), secretService: { nil }).keys()
        }
      }
      // p11-kit ignores spaces, so that a label with one is not found.
      await #expect(throws: TokenError.badURI("a space in a value is written %20")) {
        let uri = lab.uriWithPIN.replacing("token=", with: "token=a ")
        return try await TokenKeyStore(uri: uri, secrets: NonInteractive(), secretService: { nil }).keys()
      }
      await #expect(throws: KeyStoreError.self) {
        try await store.generate(KeyName("tessera-unfinished 1"), confirmation: .never, replacing: false)
      }
    }

    @Test(
      "uses a PIN from the keyring, and deletes it if it is wrong",
      .enabled(if: TokenLab.isEnabled && SecretServiceLab.isEnabled))
    func remembered() async throws {
      let lab = try await TokenLab()
      let keyring = try await SecretServiceLab()
      let folder = try TemporaryFolder()
      let name = try KeyName("k")
      @Sendable func service() async throws -> SecretService? {
        try await SecretService.connect(address: keyring.address)
      }
      func store(_ secrets: any SecretPrompting) throws -> TokenKeyStore {
        try TokenKeyStore(
          uri: lab.uri, secrets: secrets, remembersPIN: true, path: folder.url.path, secretService: service)
      }
      // Prompts once, then uses the stored PIN.
      let user = OneSecret(TokenLab.pin)
      _ = try await store(user).generate(name, confirmation: .never, replacing: false)
      _ = try await store(NonInteractive()).sign(digest: Self.digest, with: name)
      #expect(await user.prompts.count == 1)

      // After a change of the PIN, the old one is tried only once.
      let keys = try #require(try await service())
      let attributes = ["xdg:schema": "org.tessera.TokenPIN", "token": lab.label]
      #expect(try await keys.delete(attributes))
      var serial = attributes
      serial["serial"] = try await lab.serialNumber()
      try await keys.store(SecretBytes(Array("000000".utf8)), label: "old", attributes: serial)
      await #expect(throws: TokenError.wrongPIN) {
        try await store(NonInteractive()).sign(digest: Self.digest, with: name)
      }
      #expect(try await keys.lookup(attributes) == nil)
      let other = OneSecret(TokenLab.pin)
      _ = try await store(other).sign(digest: Self.digest, with: name)
      #expect(await other.hints.isEmpty)
    }

    @Test("a policy of an earlier version, stored by CKA_ID, stays in force", .enabled(if: TokenLab.isEnabled))
    func earlierPolicy() async throws {
      let lab = try await TokenLab()
      let folder = try TemporaryFolder()
      let name = try KeyName("k", owner: .web(origin: "https://one.example"))
      let store = try TokenKeyStore(
        uri: lab.uriWithPIN, secrets: NonInteractive(), path: folder.url.path, secretService: { nil })
      _ = try await store.generate(name, confirmation: .never, replacing: false)
      let list = try await lab.tool(["--list-objects", "--type", "privkey"]).output
      let identifier = try #require(list.firstMatch(of: /ID: +([0-9a-f]+)/)?.1)
      try "always".write(toFile: folder.file("pkcs11/\(identifier).confirm"), atomically: true, encoding: .utf8)
      #expect(try await store.key(name).confirmation == .always)
      // The page cannot relax the policy.
      try await store.delete(name)
      #expect(try await store.generate(name, confirmation: .never, replacing: false).confirmation == .always)
    }
  }
}
