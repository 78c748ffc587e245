import Bridge
import Failures
import Foundation
import TestSupport
import Testing

@testable import Service

@Suite("Grants")
struct GrantTests {
  @Test(
    "an origin is known by its canonical form",
    arguments: [
      ("https://Wallet.Example", "https://wallet.example"), ("HTTPS://wallet.example:443", "https://wallet.example"),
      ("http://localhost:80", "http://localhost"), ("http://[0:0::1]:8080", "http://[::1]:8080"),
      ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
      ("http://127.0.0.1:5173", "http://127.0.0.1:5173"),
    ])
  func canonical(_ text: String, _ origin: String) throws {
    let grant = try Grant("\(text) = nfc")
    #expect(grant == Grant(.web(origin: origin), [Grant.Permission(.nfc)]))
  }

  @Test(
    "what no browser sends is no origin",
    arguments: [
      "https://wallet.example/", "https://wallet.example/a", "https://wallet.example.", "https://ann@wallet.example",
      "https://bücher.example", "https://wallet..example", "https://", "https://:443", "wallet.example", "null", "*",
      "",
      "file:///tmp/a", "ftp://wallet.example", "http://127.1", "http://0x7f.0.0.1", "http://2130706433",
      "http://127.0.0.01", "http://[::1", "http://[::g]", "https://wallet.example:0", "https://wallet.example:65536",
      "https://wallet.example?a", "https://wallet.example#a", "https://wallet .example", "https://a%62.example",
    ])
  func noOrigin(_ text: String) {
    #expect(throws: Failure.self) { try Grant("\(text)=nfc") }
  }

  @Test("what it may do is a list of domains and methods")
  func permissions() throws {
    let grants = Grants(
      [try Grant("https://a.example=nfc,crypto.sign"), try Grant("https://a.example = crypto.getPublicKey")])
    let page = BridgeCaller.web(origin: "https://a.example")
    #expect(grants.knows(page))
    #expect(grants.allows(page, .nfc, "scan"))
    #expect(grants.allows(page, .crypto, "sign"))
    #expect(grants.allows(page, .crypto, "getPublicKey"))
    #expect(!grants.allows(page, .crypto, "deleteKey"))
    #expect(!grants.allows(page, .haptic, "trigger"))
    #expect(!grants.knows(.web(origin: "https://b.example")))
    #expect(!grants.allows(.web(origin: "https://b.example"), .nfc, "scan"))
    #expect(grants.allows(.local, .crypto, "deleteKey"))
    #expect(!Grants([try Grant("local=nfc")]).allows(.local, .crypto, "sign"))
  }

  @Test(
    "a grant that is not understood is an error",
    arguments: [
      "https://a.example", "https://a.example=", "https://a.example=nfc,", "https://a.example=card",
      "https://a.example=nfc.", "https://a.example=nfc.scan.now", "https://a.example=nfc.*",
      "https://a.example=nfc scan",
    ])
  func malformed(_ text: String) {
    #expect(throws: Failure.self) { try Grant(text) }
  }

  @Test("the file has one a line, and an error names its line")
  func file() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("grants")
    func write(_ text: String) throws {
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      chmod(path, 0o600)
    }
    #expect(try GrantsFile.read(path).isEmpty)
    try write("# pages\n\nhttps://a.example = nfc, crypto.sign\r\n  http://localhost:5173=lifecycle\nlocal = nfc")
    #expect(
      try GrantsFile.read(path) == [
        Grant(.web(origin: "https://a.example"), [.init(.nfc), .init(.crypto, "sign")]),
        Grant(.web(origin: "http://localhost:5173"), [.init(.lifecycle)]), Grant(.local, [.init(.nfc)]),
      ])
    try write("# pages\nhttps://a.example = nfc\nhttps://b.example/x = nfc\n")
    #expect { try GrantsFile.read(path) } throws: { error in
      Failure(error).kind == .usage && Failure(error).cause.hasPrefix("\(path), line 3: ")
    }
    try write("https://a.example = nfc")
    chmod(path, 0o666)
    #expect { try GrantsFile.read(path) } throws: { Failure($0).cause.contains("can be written by others") }
    #expect(GrantsFile.standardPath(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/tessera/grants")
    #expect(GrantsFile.standardPath(["HOME": "/h"]) == "/h/.config/tessera/grants")
  }

  @Test(
    "a WebSocket is served on loopback only",
    arguments: [
      "0.0.0.0:80", "192.168.1.2:80", "[::]:80", "127.0.0.1", "localhost:80", ":80", "127.0.0.1:65536", "127.0.0.1:-1",
    ])
  func loopbackOnly(_ text: String) {
    #expect(throws: Failure.self) { try LoopbackAddress(text) }
  }

  @Test("its Host header names the address and the port")
  func hosts() throws {
    #expect(try LoopbackAddress("127.0.0.1:0").port == 0)
    #expect(try LoopbackAddress("[::1]:84").host == "::1")
    #expect(LoopbackAddress.hostHeaders("127.0.0.1", port: 84) == ["127.0.0.1:84", "localhost:84"])
    #expect(LoopbackAddress.hostHeaders("::1", port: 84) == ["[::1]:84", "localhost:84"])
    #expect(LoopbackAddress.hostHeaders("127.0.0.9", port: 80) == ["127.0.0.9:80", "127.0.0.9"])
  }
}
