import Cryptography
import Failures
import Foundation
import KeyStores
import SecretService
import TestSupport
import Testing

@Suite("Keys in PKCS#11 tokens")
struct TokenKeyStoreTests {
  static let digest = [UInt8](repeating: 5, count: 32)

  @Test(
    "URIs that cannot be used are refused before anything is loaded",
    arguments: [
      "pkcs11:token=t;pin-value=1", "pkcs11:token=t?pin-value=1", "pkcs11:token=%zz", "pkcs11:token=t;nonsense=1",
      "pkcs11:token=t?pin-source=|cat%20/etc/passwd", "pkcs11:token=t?pin-source=pin.txt",
      "pkcs11:token=t?pin-source=https://example.com/pin",
    ])
  func badURI(_ uri: String) throws {
    do {
      _ = try TokenKeyStore(uri: uri, secrets: NobodyToAsk())
      Issue.record("it was taken")
    } catch let error as TokenError {
      #expect(error.failure.kind == .usage)
      #expect(!error.failure.description.contains("passwd"))
    }
  }

  @Test("a module that is none, and a token that is not there")
  func missing() async throws {
    let name = try KeyName("k")
    for (uri, kind) in [
      ("pkcs11:token=t?module-path=/nonexistent.so", FailureKind.keyStoreUnavailable),
      ("pkcs11:token=t?module-path=/bin/true", .keyStoreUnavailable),
      ("pkcs11:token=no-such-token", .keyStoreUnavailable),
    ] {
      let store = try TokenKeyStore(uri: uri, secrets: NobodyToAsk(), secretService: { nil })
      do {
        _ = try await store.key(name)
        Issue.record("\(uri) gave a key")
      } catch {
        #expect(Failure(error).kind == kind, "\(uri): \(error)")
      }
    }
  }

  @Test("the PIN: asked for once, wrong ones told, none given told", .enabled(if: TokenLab.isWanted))
  func pin() async throws {
    let lab = try await TokenLab()
    let folder = try TemporaryFolder()
    let name = try KeyName("k")
    func store(_ secrets: any SecretAsking) throws -> TokenKeyStore {
      try TokenKeyStore(uri: lab.uri, secrets: secrets, path: folder.url.path, secretService: { nil })
    }
    let person = OneSecret(TokenLab.pin)
    let right = try store(person)
    let key = try await right.generate(name, confirmation: .never, replacing: false).publicKey
    try await withThrowingTaskGroup { group in
      for _ in 0..<16 { group.addTask { try await right.sign(digest: Self.digest, with: name) } }
      for try await signature in group { #expect(try key.verify(signature, digest: Self.digest)) }
    }
    #expect(await person.questions == [.pin(token: lab.label)])

    // Without the PIN a public key can be told, and nothing else done.
    let nobody = try store(NobodyToAsk())
    #expect(try await nobody.key(name).publicKey == key)
    #expect(try await nobody.keys().map(\.publicKey) == [key])
  }

  @Test("foreign keys of a token serve, and ours serve foreign tools", .enabled(if: TokenLab.isWanted))
  func foreign() async throws {
    let lab = try await TokenLab()
    let folder = try TemporaryFolder()
    let made = try await lab.tool(["--keypairgen", "--key-type", "EC:prime256v1", "--label", "theirs", "--id", "07"])
    #expect(made.status == 0, "\(made.errors)")
    let store = try TokenKeyStore(
      uri: lab.uriWithPIN, secrets: NobodyToAsk(), path: folder.url.path, secretService: { nil })
    let theirs = try await store.key(KeyName("theirs"))
    #expect(theirs.confirmation == .never)
    let signature = try await store.sign(digest: Self.digest, with: theirs.name)
    #expect(try theirs.publicKey.verify(signature, digest: Self.digest))

    let ours = try await store.generate(KeyName("ours"), confirmation: .never, replacing: false)
    try Data(Self.digest).write(to: folder.url.appendingPathComponent("digest"))
    let objects = try await lab.tool(["--list-objects", "--type", "privkey"])
    // It was made inside and stays there.
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

    // A public key that belongs to no private one is nobody's to delete.
    #expect(try await store.delete(theirs.name))
    #expect(try await store.keys().map(\.name) == [ours.name])
  }

  @Test("a key that wants the PIN for every signature", .enabled(if: TokenLab.isWanted))
  func alwaysAuthenticate() async throws {
    let lab = try await TokenLab()
    let folder = try TemporaryFolder()
    let made = try await lab.tool([
      "--keypairgen", "--key-type", "EC:prime256v1", "--label", "slow", "--id", "09", "--always-auth",
    ])
    #expect(made.status == 0, "\(made.errors)")
    let name = try KeyName("slow")
    func store(_ uri: String, _ secrets: any SecretAsking) throws -> TokenKeyStore {
      try TokenKeyStore(uri: uri, secrets: secrets, path: folder.url.path, secretService: { nil })
    }
    let person = OneSecret(TokenLab.pin)
    let asked = try store(lab.uri, person)
    let key = try await asked.key(name).publicKey
    for _ in 0..<3 { #expect(try key.verify(await asked.sign(digest: Self.digest, with: name), digest: Self.digest)) }
    #expect(await person.questions.count == 4, "once for the login, and once for each signature")
    let stored = try store(lab.uriWithPIN, NobodyToAsk())
    for _ in 0..<2 { _ = try await stored.sign(digest: Self.digest, with: name) }

    // A wrong PIN in between spoils one signature and not those after it. (This process is logged in already.)
    let forgetful = TurningSecrets(["000000", TokenLab.pin, TokenLab.pin])
    let shaken = try store(lab.uri, forgetful)
    await #expect(throws: TokenError.wrongPIN) { try await shaken.sign(digest: Self.digest, with: name) }
    for _ in 0..<2 { _ = try await shaken.sign(digest: Self.digest, with: name) }
  }

  /// Gives one secret after the other.
  actor TurningSecrets: SecretAsking {
    private var secrets: [String]
    init(_ secrets: [String]) { self.secrets = secrets }
    func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes? {
      secrets.isEmpty ? nil : SecretBytes(Array(secrets.removeFirst().utf8))
    }
  }

  @Test("what is not ours is left alone: other curves, other owners of the name", .enabled(if: TokenLab.isWanted))
  func others() async throws {
    let lab = try await TokenLab()
    let folder = try TemporaryFolder()
    let store = try TokenKeyStore(
      uri: lab.uriWithPIN, secrets: NobodyToAsk(), path: folder.url.path, secretService: { nil })
    for (label, curve, id) in [("p384", "secp384r1", "01"), ("twin", "prime256v1", "02"), ("twin", "prime256v1", "03")]
    {
      let made = try await lab.tool(["--keypairgen", "--key-type", "EC:\(curve)", "--label", label, "--id", id])
      #expect(made.status == 0, "\(made.errors)")
    }
    let twin = try KeyName("twin")
    #expect(try await !store.delete(KeyName("p384")))
    await #expect(throws: TokenError.ambiguousKey) { try await store.delete(twin) }
    await #expect(throws: TokenError.ambiguousKey) { try await store.sign(digest: Self.digest, with: twin) }
    // The URI can tell which one is meant.
    let second = try TokenKeyStore(
      uri: lab.uriWithPIN.replacing("?", with: ";id=%03?"), secrets: NobodyToAsk(), path: folder.url.path,
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
        try await TokenKeyStore(uri: uri, secrets: NobodyToAsk(), secretService: { nil }).keys()
      }
    }
    await #expect(throws: KeyStoreError.self) {
      try await store.generate(KeyName("tessera-unfinished 1"), confirmation: .never, replacing: false)
    }
  }

  @Test(
    "a PIN in the keyring is used, and forgotten when it is wrong",
    .enabled(if: TokenLab.isWanted && SecretServiceLab.isWanted))
  func remembered() async throws {
    let lab = try await TokenLab()
    let keyring = try await SecretServiceLab()
    let folder = try TemporaryFolder()
    let name = try KeyName("k")
    @Sendable func service() async throws -> SecretService? {
      try await SecretService.connect(address: keyring.address)
    }
    func store(_ secrets: any SecretAsking) throws -> TokenKeyStore {
      try TokenKeyStore(
        uri: lab.uri, secrets: secrets, remembersPIN: true, path: folder.url.path, secretService: service)
    }
    // Asked once and kept, then not asked again.
    let person = OneSecret(TokenLab.pin)
    _ = try await store(person).generate(name, confirmation: .never, replacing: false)
    _ = try await store(NobodyToAsk()).sign(digest: Self.digest, with: name)
    #expect(await person.questions.count == 1)

    // Somebody changed the PIN meanwhile: the old one is tried once, and then never again.
    let keys = try #require(try await service())
    let attributes = ["xdg:schema": "org.tessera.TokenPIN", "token": lab.label]
    #expect(try await keys.delete(attributes))
    var serial = attributes
    serial["serial"] = try await lab.serialNumber()
    try await keys.store(SecretBytes(Array("000000".utf8)), label: "old", attributes: serial)
    await #expect(throws: TokenError.wrongPIN) { try await store(NobodyToAsk()).sign(digest: Self.digest, with: name) }
    #expect(try await keys.lookup(attributes) == nil)
    let other = OneSecret(TokenLab.pin)
    _ = try await store(other).sign(digest: Self.digest, with: name)
    #expect(await other.hints.isEmpty)
  }

  @Test("a key that was made when policies had the name of its CKA_ID goes on asking", .enabled(if: TokenLab.isWanted))
  func earlierPolicy() async throws {
    let lab = try await TokenLab()
    let folder = try TemporaryFolder()
    let name = try KeyName("k", owner: .web(origin: "https://one.example"))
    let store = try TokenKeyStore(
      uri: lab.uriWithPIN, secrets: NobodyToAsk(), path: folder.url.path, secretService: { nil })
    _ = try await store.generate(name, confirmation: .never, replacing: false)
    let list = try await lab.tool(["--list-objects", "--type", "privkey"]).output
    let identifier = try #require(list.firstMatch(of: /ID: +([0-9a-f]+)/)?.1)
    try "always".write(toFile: folder.file("pkcs11/\(identifier).confirm"), atomically: true, encoding: .utf8)
    #expect(try await store.key(name).confirmation == .always)
    // The page cannot be rid of it.
    try await store.delete(name)
    #expect(try await store.generate(name, confirmation: .never, replacing: false).confirmation == .always)
  }
}
