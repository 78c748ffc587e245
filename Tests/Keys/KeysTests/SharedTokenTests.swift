import Foundation
import TesseraCore
import TesseraCryptography
import TesseraKeys
import TestSupport
import Testing

extension RealPrograms {
  /// Tokens that other programs filled, as cards and key databases are.
  @Suite("Tokens of others", .enabled(if: TokenLab.isEnabled))
  struct SharedTokenTests {
    static let digest = [UInt8](repeating: 5, count: 32)
    private let lab: TokenLab
    private let folder: TemporaryFolder

    init() async throws {
      lab = try await TokenLab()
      folder = try TemporaryFolder()
    }

    private func store(_ attributes: String = "") throws -> TokenKeyStore {
      try TokenKeyStore(
        uri: lab.uriWithPIN.replacing("?", with: attributes + "?"), secrets: NonInteractive(), path: folder.url.path,
        secretService: { nil })
    }

    private func tool(_ arguments: [String]) async throws {
      let run = try await lab.tool(arguments)
      #expect(run.status == 0, "\(run.errors)")
    }

    private func generate(_ label: String?, id: String) async throws {
      let named = label.map { ["--label", $0] } ?? []
      try await tool(["--keypairgen", "--key-type", "EC:prime256v1", "--id", id] + named)
    }

    /// The objects with this label as `pkcs11-tool` prints them.
    private func objects(_ label: String) async throws -> [String] {
      var objects: [String] = []
      for line in try await lab.tool(["--list-objects"]).output.split(separator: "\n") {
        if line.hasPrefix(" "), let last = objects.indices.last {
          objects[last] += "\n\(line)"
        } else {
          objects.append(String(line))
        }
      }
      return objects.filter { $0.contains("label:      \(label)\n") }.sorted()
    }

    private func openssl(_ arguments: [String]) async throws {
      let run = try await RunningProgram(URL(fileURLWithPath: "/usr/bin/openssl"), arguments).finish(within: 120)
      #expect(run.status == 0, "\(run.errors)")
    }

    @Test("keys with the same CKA_ID have their own public keys, and none is deleted with another one")
    func sameIdentifier() async throws {
      for label in ["alpha", "beta", "gamma"] { try await generate(label, id: "01") }
      let store = try store()
      var points: [String: P256PublicKey] = [:]
      for label in ["alpha", "beta", "gamma"] {
        let key = try await store.key(KeyName(label)).publicKey
        #expect(try key.verify(await store.sign(digest: Self.digest, with: KeyName(label)), digest: Self.digest))
        points[label] = key
      }
      #expect(Set(points.values).count == 3)
      let others = try await objects("beta") + objects("gamma")
      _ = try await store.generate(KeyName("alpha"), confirmation: .never, replacing: true)
      #expect(try await store.delete(KeyName("alpha")))
      #expect(try await objects("beta") + objects("gamma") == others)
      #expect(try await store.keys().map(\.name.name) == ["beta", "gamma"])
      #expect(try await store.key(KeyName("beta")).publicKey == points["beta"])
    }

    @Test("the public key of another key with the same CKA_ID is not taken for that of a key")
    func missingPublicKey() async throws {
      for label in ["alpha", "beta"] { try await generate(label, id: "01") }
      try await tool(["--delete-object", "--type", "pubkey", "--label", "beta"])
      let (store, beta) = (try store(), try KeyName("beta"))
      let key = try await store.key(beta)
      #expect(throws: KeyStoreError.noPublicKey(beta)) { try key.publicKey }
      #expect(try await store.keys().map { try? $0.publicKey }.count { $0 == nil } == 1)
      let signature = try await store.sign(digest: Self.digest, with: beta)
      let alpha = try await store.key(KeyName("alpha")).publicKey
      #expect(try !alpha.verify(signature, digest: Self.digest))
      #expect(try await store.delete(beta))
      #expect(try await store.key(KeyName("alpha")).publicKey == alpha)
    }

    @Test("a private key with its certificate is listed and signs; the certificate stays when the key is deleted")
    func certificate() async throws {
      let (pem, der, certificate) = (folder.file("key.pem"), folder.file("key.der"), folder.file("certificate.der"))
      try await openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", pem])
      try await openssl(["ec", "-in", pem, "-outform", "DER", "-out", der])
      try await openssl(
        ["req", "-x509", "-key", pem, "-subj", "/CN=card", "-days", "2", "-outform", "DER", "-out", certificate])
      try await tool(["--write-object", der, "--type", "privkey", "--id", "0102", "--label", "card", "--usage-sign"])
      let (store, card) = (try store(), try KeyName("card"))
      #expect(try await store.keys().map(\.name) == [card])
      try await tool(["--write-object", certificate, "--type", "cert", "--id", "0102", "--label", "card"])
      let key = try await store.key(card).publicKey
      #expect(key == (try PublicKeyFormat.decode(Array(folder.bytes("certificate.der")))))
      #expect(try key.verify(await store.sign(digest: Self.digest, with: card), digest: Self.digest))
      #expect(try await store.delete(card))
      let left = try await objects("card")
      #expect(left.count == 1 && left[0].contains("X.509"))
    }

    @Test("a key without a label has its CKA_ID as name, and id= in the URI finds a key by any name")
    func unlabelled() async throws {
      try await generate(nil, id: "0a0b")
      try await generate("named", id: "0c")
      let plain = try store()
      #expect(try await plain.keys().map(\.name.name) == ["0a0b", "named"])
      let key = try await plain.key(KeyName("0a0b")).publicKey
      let chosen = try store(";id=%0a%0b")
      let signature = try await chosen.sign(digest: Self.digest, with: KeyName("whatever"))
      #expect(try key.verify(signature, digest: Self.digest))
      #expect(try await chosen.key(KeyName("whatever")).publicKey == key)
      // A key with a label is deleted only by this name.
      await #expect(throws: TokenError.otherName("named")) { try await store(";id=%0c").delete(KeyName("x")) }
      #expect(try await plain.delete(KeyName("0a0b")))
      #expect(try await plain.keys().map(\.name.name) == ["named"])
    }

    /// Writes another public object with the same key.
    private func copyPublicKey(of label: String, id: String, as copy: String) async throws {
      let file = folder.file("public.der")
      try await tool(["--read-object", "--type", "pubkey", "--label", label, "--id", id, "--output-file", file])
      try await tool(["--write-object", file, "--type", "pubkey", "--label", copy, "--id", id])
    }

    @Test("a key with two public objects, as a crash leaves it, is one key, and the next change leaves one object")
    func twoPublicObjects() async throws {
      let name = try KeyName("k")
      try await generate("k", id: "01")
      try await generate("old", id: "02")
      try await copyPublicKey(of: "k", id: "01", as: "k")
      // Before login only public objects are visible.
      let locked = try TokenKeyStore(
        uri: lab.uri, secrets: NonInteractive(), path: folder.url.path, secretService: { nil })
      #expect(try await locked.keys().map(\.name.name) == ["k", "old"])
      let point = try await locked.key(name).publicKey

      // The key with the id 03 was replaced.
      try await generate("k", id: "03")
      for reserved in [
        "tessera-unfinished 1", "tessera-replacing 1 03", "tessera-replacing 1 03", "tessera-unfinished 99999999999",
      ] {
        try await copyPublicKey(of: "k", id: "01", as: reserved)
      }
      #expect(try await locked.keys().map(\.name.name) == ["k", "old"])
      #expect(try await locked.key(name).publicKey == point)
      let store = try store()
      #expect(try await store.delete(KeyName("old")))
      let left = try await lab.tool(["--list-objects", "--type", "pubkey"]).output
      #expect(!left.contains("tessera-") && left.ranges(of: "label:      k\n").count == 2, "\(left)")
      #expect(try await store.key(name).publicKey == point)
      let signature = try await store.sign(digest: Self.digest, with: name)
      #expect(try point.verify(signature, digest: Self.digest))
      #expect(try await store.delete(name))
      #expect(try await lab.tool(["--list-objects"]).output.ranges(of: "label:").isEmpty)
    }

    @Test("a failed generation leaves the token as it was")
    func failure() async throws {
      for label in ["old", "twin", "twin"] { try await generate(label, id: "01") }
      let before = try await lab.tool(["--list-objects"]).output.split(separator: "\n").sorted()
      let store = try store()
      for (name, replacing) in [("old", false), ("twin", true)] {
        await #expect(throws: (any Error).self) {
          try await store.generate(KeyName(name), confirmation: .never, replacing: replacing)
        }
      }
      #expect(try await lab.tool(["--list-objects"]).output.split(separator: "\n").sorted() == before)
    }

    @Test("a byte order mark and CR LF around a PIN and a URI are no part of them")
    func windowsEditor() async throws {
      try Data([0xEF, 0xBB, 0xBF] + Array("\(TokenLab.pin)\r\n".utf8)).write(to: folder.url.appending(path: "pin"))
      let uri = "\u{FEFF}\(lab.uri)&pin-source=file:\(folder.file("pin"))\r\n"
      let store = try KeyStores.store(uri, newKeys: .passphrase, secrets: NonInteractive(), path: folder.url.path)
      let name = try KeyName("k")
      let key = try await store.generate(name, confirmation: .never, replacing: false).publicKey
      #expect(try key.verify(await store.sign(digest: Self.digest, with: name), digest: Self.digest))
    }
  }
}
