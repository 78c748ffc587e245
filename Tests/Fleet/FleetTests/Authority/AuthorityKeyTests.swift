import Foundation
import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraFleet

@Suite("Keys of NATS users") struct AuthorityKeyTests {
  /// A pair of docs.nats.io.
  private static let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
  private static let publicKey = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

  private static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

  private static func text(_ secret: SecretBytes) -> String {
    secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test("The checksum is that of XMODEM") func checksum() {
    #expect(CRC16.checksum(Array("123456789".utf8)) == 0x31C3)
    #expect(CRC16.checksum([]) == 0)
  }

  /// RFC 4648, 10, without padding.
  @Test(
    "Base32 has the published form",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
      ("foobar", "MZXW6YTBOI"),
    ])
  func base32(plain: String, encoded: String) {
    let bytes = Array(plain.utf8)
    var text = [UInt8](repeating: 0, count: Base32.encodedCount(bytes.count))
    bytes.withUnsafeBytes { bytes in text.withUnsafeMutableBytes { Base32.encode(bytes, into: $0) } }
    #expect(String(decoding: text, as: UTF8.self) == encoded)
    var back = [UInt8](repeating: 0, count: Base32.decodedCount(text.count))
    let isDecoded = text.withUnsafeBytes { text in back.withUnsafeMutableBytes { Base32.decode(text, into: $0) } }
    #expect(isDecoded && back == bytes)
  }

  @Test("A published seed has the published public key, and its own text") func publishedPair() throws {
    let key = try NKey(seedText: Self.secret(Self.seed))
    #expect(key.publicKey.kind == .user)
    #expect(key.publicKey.text == Self.publicKey)
    #expect(Self.text(key.seedText) == Self.seed)
    #expect(try NKeyPublicKey(Self.publicKey) == key.publicKey)
  }

  @Test("A seed that every user can read, or a group can change, is refused", arguments: [0o644, 0o604, 0o660, 0o600])
  func seedOfOthers(_ mode: Int) throws {
    let folder = try TemporaryFolder()
    let file = NKeyFile(path: folder.file("seed.nk"))
    #expect(try file.create(NKey()))
    chmod(file.path, mode_t(mode))
    guard mode == 0o600 else {
      #expect(throws: FleetAuthorityError.openToOthers(file.path)) { try file.read() }
      return
    }
    #expect(try file.read() != nil)
    // A secret of an administrator's group.
    chmod(file.path, 0o640)
    #expect(try file.read() != nil)
  }

  @Test("A seed that cannot be used is said to be so before a server is asked")
  func unusableSeeds() async throws {
    let folder = try TemporaryFolder()
    func connect(_ file: String) async throws {
      let servers = FleetServers(["nats://127.0.0.1:1"], seedFile: folder.file(file))
      await (try servers.connect(as: try #require(DeskName("d1")))).close()
    }
    #expect(try NKeyFile(path: folder.file("open")).create(NKey()))
    chmod(folder.file("open"), 0o644)
    await #expect(throws: FleetAuthorityError.openToOthers(folder.file("open"))) { try await connect("open") }
    try Data("SUAAA\n".utf8).write(to: URL(fileURLWithPath: folder.file("damaged")))
    chmod(folder.file("damaged"), 0o600)
    await #expect(throws: FleetAuthorityError.notASeed) { try await connect("damaged") }
    do {
      try await connect("missing")
      Issue.record("it connected")
    } catch let failure as Failure {
      #expect(failure.cause.contains("no such file") && failure.remedy?.contains("tessera fleet configure") == true)
    }
  }

  /// RFC 8032, 7.1, test 3.
  @Test("A signature is that of Ed25519") func signature() throws {
    let seed = try #require([UInt8](hexadecimal: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"))
    let key = try NKey(.user, seed: SecretBytes(seed))
    #expect(
      try key.sign([0xAF, 0x82]).hexadecimal.lowercased()
        == "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        + "4a7c15e9716ed28dc027beceea1ec40a")
    #expect(
      try Ed25519PrivateKey(seed: SecretBytes(seed)).publicKey.hexadecimal.lowercased()
        == "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
  }

  @Test("New keys differ, and their texts tell their kind", arguments: zip(NKey.Kind.allCases, ["SU U", "SA A"]))
  func newKeys(kind: NKey.Kind, prefixes: String) throws {
    let (first, second) = (try NKey(kind), try NKey(kind))
    #expect(first.publicKey != second.publicKey && first.seedText != second.seedText)
    let words = prefixes.split(separator: " ")
    #expect(Self.text(first.seedText).hasPrefix(words[0]) && first.publicKey.text.hasPrefix(words[1]))
    let read = try NKey(seedText: first.seedText)
    #expect(read.publicKey == first.publicKey && read.publicKey.kind == kind)
  }

  @Test("No changed character of a seed or a public key is accepted") func changedCharacters() {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    func changes(_ text: String) -> [String] {
      text.indices.flatMap { index in
        alphabet.filter { $0 != text[index] }.map { text.replacingCharacters(in: index...index, with: String($0)) }
      }
    }
    #expect(changes(Self.seed).count == 58 * 31)
    #expect(changes(Self.seed).filter { (try? NKey(seedText: Self.secret($0))) != nil } == [])
    #expect(changes(Self.publicKey).filter { (try? NKeyPublicKey($0)) != nil } == [])
  }

  @Test(
    "Other texts are no keys",
    arguments: [
      "", "SU", String(seed.dropLast()), seed + "A", seed.lowercased(), publicKey, "1" + seed.dropFirst(),
      String(repeating: "=", count: 58), String(repeating: "é", count: 29),
    ])
  func otherTexts(text: String) {
    #expect(throws: FleetAuthorityError.notASeed) { try NKey(seedText: Self.secret(text)) }
    if text != Self.publicKey { #expect(throws: FleetAuthorityError.notAPublicKey) { try NKeyPublicKey(text) } }
  }

  @Test("A seed's file has mode 0600, is read again, and is never replaced") func seedFile() throws {
    let folder = try TemporaryFolder()
    let file = NKeyFile(path: folder.file("keys/desk.nk"))
    #expect(try file.read() == nil)
    let (key, other) = (try NKey(), try NKey())
    #expect(try file.create(key))
    #expect(try !file.create(other))
    #expect(try file.read()?.publicKey == key.publicKey)
    #expect(folder.bytes("keys/desk.nk") == Array("\(Self.text(key.seedText))\n".utf8))
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test("A file of another form is not a seed", arguments: ["", "\n", "SUAAA\n", String(repeating: "A", count: 200)])
  func otherFile(content: String) throws {
    let folder = try TemporaryFolder()
    try Data(content.utf8).write(to: folder.url.appendingPathComponent("a.nk"))
    chmod(folder.file("a.nk"), 0o600)
    #expect(throws: FleetAuthorityError.notASeed) { try NKeyFile(path: folder.file("a.nk")).read() }
  }

  @Test("Neither a key nor its errors show the seed") func nothingShown() throws {
    let key = try NKey(seedText: Self.secret(Self.seed))
    var shown = ""
    dump(key, to: &shown)
    #expect(!"\(key)\(key.seedText)\(shown)".contains(Self.seed))
  }
}
