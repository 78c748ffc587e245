import Foundation
import TesseraCore
import TesseraCryptography
import TesseraKeys
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Conformance of all key stores")
  struct StoreConformanceTests {
    static let message = Array("The quick brown fox".utf8)

    @Test("reports missing software of the lab")
    func stacks() {
      for unavailableReason in [TokenLab.unavailableReason, TPMLab.unavailableReason].compactMap({ $0 }) {
        #expect(ProcessInfo.processInfo.environment["CI"] != "true", "\(unavailableReason)")
        print("Skipped: \(unavailableReason)")
      }
    }

    @Test("generates, lists, uses, replaces and deletes a key", arguments: StoreKind.wanted)
    func life(_ kind: StoreKind) async throws {
      let lab = try await StoreLab(kind)
      let store = lab.store
      let name = try KeyName("release")
      await #expect(throws: KeyStoreError.notFound(name, store: store.designation)) { try await store.key(name) }

      let made = try await store.generate(name, confirmation: .session, replacing: false)
      #expect(made.name == name)
      #expect(made.store == store.designation)
      #expect(made.confirmation == .session)
      let age = try #require(made.created).distance(to: .now)
      #expect((-1...86_401).contains(age), "created \(age) s ago")
      #expect(try await store.key(name).publicKey == made.publicKey)
      #expect(try await store.keys().map(\.name) == [name])
      #expect(try await store.keys().map(\.confirmation) == [.session])

      let digest = try HashAlgorithm.sha256.digest(of: Self.message)
      let signature = try await store.sign(digest: digest, with: name)
      #expect(try made.publicKey.verify(signature, digest: digest))
      #expect(try await lab.opensslVerifies(signature, over: Self.message, by: made.publicKey))
      #expect(try await !lab.opensslVerifies(signature, over: Self.message + [0], by: made.publicKey))

      await #expect(throws: KeyStoreError.exists(name, store: store.designation)) {
        try await store.generate(name, confirmation: .never, replacing: false)
      }
      #expect(try await store.key(name).publicKey == made.publicKey)
      let next = try await store.generate(name, confirmation: .never, replacing: true)
      #expect(try next.publicKey != made.publicKey)
      #expect(try await store.keys().map { try $0.publicKey } == [next.publicKey])
      // The policy belongs to the name and applies to the new key.
      #expect(next.confirmation == .session)
      #expect(try await store.keys().map(\.confirmation) == [.session])
      let other = try await store.sign(digest: digest, with: name)
      #expect(try next.publicKey.verify(other, digest: digest))

      #expect(try await store.delete(name))
      #expect(try await !store.delete(name))
      #expect(try await store.keys().isEmpty)
      await #expect(throws: KeyStoreError.notFound(name, store: store.designation)) { try await store.key(name) }
      await #expect(throws: KeyStoreError.notFound(name, store: store.designation)) {
        try await store.sign(digest: digest, with: name)
      }
    }

    @Test("signs data, which it hashes with SHA-256 itself", arguments: StoreKind.wanted)
    func data(_ kind: StoreKind) async throws {
      let lab = try await StoreLab(kind)
      let name = try KeyName("release")
      let key = try await lab.store.generate(name, confirmation: .never, replacing: false).publicKey
      for message in [Self.message, []] {
        // Bytes of any collection.
        let signature = try await lab.store.sign(Data(message), with: name)
        #expect(try await lab.opensslVerifies(signature, over: message, by: key))
        #expect(try key.verify(signature, over: message) && !key.verify(signature, over: message + [0]))
        #expect(try key.verify(signature, digest: HashAlgorithm.sha256.digest(of: message)))
      }
      let unknown = try KeyName("unknown")
      await #expect(throws: KeyStoreError.notFound(unknown, store: lab.store.designation)) {
        try await lab.store.sign(Self.message, with: unknown)
      }
    }

    @Test("keeps names exactly, and separates owners", arguments: StoreKind.wanted)
    func names(_ kind: StoreKind) async throws {
      let lab = try await StoreLab(kind)
      defer { withExtendedLifetime(lab) {} }
      let store = lab.store
      let origin = Caller.web(origin: "https://one.example:8443")
      // Two names look the same: "é" as one and as two code points.
      let texts = ["\u{E9}", "e\u{301}", "a", "A", "..", "../a", "%2E%2E", "ä ö/\u{0}\n", "a b", "~"]
      var names = try texts.map { try KeyName($0) }
      names += try ["a", "https://two.example b"].map { try KeyName($0, owner: origin) }
      var keys: [KeyName: P256PublicKey] = [:]
      for name in names {
        keys[name] = try await store.generate(name, confirmation: .never, replacing: false).publicKey
      }
      #expect(Set(keys.values).count == names.count)
      let listed = try await store.keys()
      #expect(Set(listed.map(\.name)) == Set(names))
      for key in listed { #expect(try keys[key.name] == key.publicKey) }
      #expect(try await store.delete(names[0]))
      #expect(try await store.keys().count == names.count - 1)
    }

    @Test("rejects invalid names")
    func badNames() {
      let bad: [(String, Caller)] = [
        ("", .local), (String(repeating: "x", count: 241), .local), (String(repeating: "ä", count: 41), .local),
        ("https://one.example k", .local), ("k", .web(origin: "one.example")), ("k", .web(origin: "https://a b")),
      ]
      for (text, owner) in bad {
        #expect(throws: KeyStoreError.self, "\(text)") { try KeyName(text, owner: owner) }
      }
      #expect(throws: Never.self) { try KeyName(String(repeating: "x", count: 240)) }
    }

    @Test("a policy survives its key, and only the user can relax it", arguments: StoreKind.wanted)
    func policies(_ kind: StoreKind) async throws {
      let lab = try await StoreLab(kind)
      let store = lab.store
      let policies = ConfirmationPolicies(path: lab.folder.url.path)
      let name = try KeyName("k", owner: .web(origin: "https://one.example"))
      let others = try [
        KeyName("k", owner: .web(origin: "https://two.example")), KeyName("k"), KeyName("K", owner: name.owner),
      ]
      for name in others { _ = try await store.generate(name, confirmation: .never, replacing: false) }
      _ = try await store.generate(name, confirmation: .always, replacing: false)
      for replacing in [true, false] {
        if !replacing { try await store.delete(name) }
        let next = try await store.generate(name, confirmation: .session, replacing: replacing)
        #expect(next.confirmation == .always)
        #expect(try await store.key(name).confirmation == .always)
      }
      for name in others { #expect(try await store.key(name).confirmation == .never) }
      #expect(try policies.all().map(\.name) == [name])

      try policies.set(.never, of: name)
      #expect(try await store.key(name).confirmation == .never)
      try await store.delete(name)
      #expect(try await store.generate(name, confirmation: .never, replacing: false).confirmation == .never)
      // Also before the key exists.
      let later = try KeyName("later", owner: name.owner)
      try policies.set(.always, of: later)
      #expect(try await store.generate(later, confirmation: .never, replacing: false).confirmation == .always)
    }

    @Test("an unreadable policy allows no signature", arguments: StoreKind.wanted)
    func damagedPolicy(_ kind: StoreKind) async throws {
      let lab = try await StoreLab(kind)
      let name = try KeyName("k", owner: .web(origin: "https://one.example"))
      _ = try await lab.store.generate(name, confirmation: .always, replacing: false)
      let file = lab.folder.file("confirmation/https%3A%2F%2Fone.example/k.policy")
      try "Never".write(toFile: file, atomically: true, encoding: .utf8)
      await #expect(throws: KeyStoreError.self) { try await lab.store.key(name) }
      await #expect(throws: KeyStoreError.self) {
        try await lab.store.generate(name, confirmation: .never, replacing: true)
      }
      try ConfirmationPolicies(path: lab.folder.url.path).set(.session, of: name)
      #expect(try await lab.store.key(name).confirmation == .session)
    }

    @Test(
      "limits the keys of each web origin, but not of local programs",
      arguments: StoreKind.wanted)
    func quota(_ kind: StoreKind) async throws {
      let lab = try await StoreLab(kind, keysPerOrigin: 3)
      let store = lab.store
      func make(_ name: String, _ origin: String?, replacing: Bool = false) async throws {
        let owner = origin.map { Caller.web(origin: $0) } ?? .local
        _ = try await store.generate(KeyName(name, owner: owner), confirmation: .always, replacing: replacing)
      }
      let one = "https://one.example"
      for name in ["a", "b", "c"] { try await make(name, one) }
      await #expect(throws: KeyStoreError.tooMany(limit: 3)) { try await make("d", one) }
      // The refused key left no policy.
      #expect(try ConfirmationPolicies(path: lab.folder.url.path).all().count == 3)
      try await make("a", one, replacing: true)
      try await make("d", "https://one.example:8443")
      for name in ["a", "b", "c", "d"] { try await make(name, nil) }
      try await store.delete(KeyName("a", owner: .web(origin: one)))
      try await make("d", one)
      await #expect(throws: KeyStoreError.tooMany(limit: 3)) { try await make("a", one) }
      #expect(try await store.keys().count == 8)
    }
  }
}
