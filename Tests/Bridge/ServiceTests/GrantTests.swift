import Foundation
import TesseraBridge
import TesseraCore
import TestSupport
import Testing

@testable import TesseraService

@Suite("Grants")
struct GrantTests {
  @Test("texts, which earlier versions could grant, need no grant any more")
  func formerDomain() throws {
    #expect(try Grant("https://a.example = nfc, i18n, !i18n.get") == Grant("https://a.example = nfc"))
    #expect(throws: Failure.self) { try Grant("https://a.example = i18nn") }
  }

  @Test(
    "an origin is stored in its canonical form",
    arguments: [
      ("https://Wallet.Example", "https://wallet.example"), ("HTTPS://wallet.example:443", "https://wallet.example"),
      ("http://localhost:80", "http://localhost"), ("http://[0:0::1]:8080", "http://[::1]:8080"),
      ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
      ("http://127.0.0.1:5173", "http://127.0.0.1:5173"), ("https://Wallet.example:443/", "https://wallet.example"),
      ("http://wallet.localhost", "http://wallet.localhost"), ("http://127.8.9.10", "http://127.8.9.10"),
    ])
  func canonical(_ text: String, _ origin: String) throws {
    let grant = try Grant("\(text) = nfc")
    #expect(grant == Grant(.web(origin: origin), [Grant.Permission(.nfc)]))
  }

  @Test(
    "refuses origins in a form that no browser sends",
    arguments: [
      "https://wallet.example//", "https://wallet.example/a", "https://wallet.example.", "https://ann@wallet.example",
      "https://bücher.example", "https://wallet..example", "https://", "https://:443", "wallet.example", "null", "*",
      "",
      "file:///tmp/a", "ftp://wallet.example", "http://127.1", "http://0x7f.0.0.1", "http://2130706433",
      "http://127.0.0.01", "http://[::1", "http://[::g]", "https://wallet.example:0", "https://wallet.example:65536",
      "https://wallet.example?a", "https://wallet.example#a", "https://wallet .example", "https://a%62.example",
    ])
  func noOrigin(_ text: String) {
    #expect(throws: Failure.self) { try Grant("\(text)=nfc") }
  }

  @Test(
    "refuses http origins on other machines",
    arguments: [
      "http://wallet.example", "http://192.168.1.2", "http://localhost.example", "http://notlocalhost",
      "http://127.example",
      "http://[::2]", "http://128.0.0.1",
    ])
  func plainHTTP(_ origin: String) {
    #expect { try Grant("\(origin)=nfc") } throws: { Failure($0).cause.contains("http on another machine") }
  }

  @Test("a denial of a scan denies the report, which contains it")
  func denials() throws {
    let page = Caller.web(origin: "https://a.example")
    for denial in ["scan", "scanPassport"] {
      let grants = Grants([try Grant("https://a.example=nfc,!nfc.\(denial)")])
      for method in ["scan", "scanPassport", "scanReport"] {
        #expect(!grants.allows(page, .nfc, method), "!\(denial): \(method)")
      }
    }
    let grants = Grants([try Grant("https://a.example=nfc,!nfc.scanReport")])
    #expect(!grants.allows(page, .nfc, "scanReport"))
  }

  @Test("a grant of a scan covers its alias, the availability query and the cancellation, but not the reverse")
  func scans() throws {
    let page = Caller.web(origin: "https://a.example")
    for (domain, scans, others) in [
      (BridgeDomain.nfc, ["scan", "scanPassport"], ["cancelScan", "isSupported"]),
      (.camera, ["scanMRZ", "scanMrz"], ["stopCamera", "isAvailable"]),
    ] {
      for scan in scans {
        let grants = Grants([try Grant("https://a.example=\(domain.rawValue).\(scan)")])
        for method in scans + others { #expect(grants.allows(page, domain, method), "\(scan): \(method)") }
      }
      for other in others {
        let grants = Grants([try Grant("https://a.example=\(domain.rawValue).\(other)")])
        for method in scans { #expect(!grants.allows(page, domain, method), "\(other): \(method)") }
      }
    }
  }

  @Test("the scan of a seal needs a grant of its own, which covers what queries and stops it and no scan of a zone")
  func seals() throws {
    let page = Caller.web(origin: "https://a.example")
    func allowed(_ words: String) throws -> [String] {
      let grants = Grants([try Grant("https://a.example=\(words)")])
      return BridgeDomain.camera.methods.filter { grants.allows(page, .camera, $0) }.sorted()
    }
    let zone = ["isAvailable", "scanMRZ", "scanMrz", "stopCamera"]
    let seal = ["isAvailable", "scanSeal", "stopCamera"]
    let everything = BridgeDomain.camera.methods.sorted()
    #expect(try allowed("camera.scanMRZ") == zone && allowed("camera.scanMrz") == zone)
    #expect(try allowed("camera.scanSeal") == seal)
    #expect(try allowed("camera") == everything && allowed("camera.scanMRZ,camera.scanSeal") == everything)
    #expect(try allowed("camera.isAvailable,camera.stopCamera") == ["isAvailable", "stopCamera"])
    // A denied seal leaves the zone, with the method that stops its scan. A seal may contain the zone, so that a denied
    // zone denies it.
    #expect(try allowed("camera,!camera.scanSeal") == zone && allowed("camera.scanMRZ,!camera.scanSeal") == zone)
    for denial in ["!camera.scanMRZ", "!camera.scanMrz", "!camera"] {
      #expect(try allowed("camera,\(denial)").isEmpty && allowed("camera.scanSeal,\(denial)").isEmpty, "\(denial)")
    }
    #expect(try allowed("camera,!camera.stopCamera") == ["isAvailable"])
    #expect(try allowed("camera,!camera.isAvailable") == ["stopCamera"])
  }

  @Test("the service refuses a page the scan of a seal with a grant of the zone, and permits it with its own")
  func sealsInService() async throws {
    let router = MessageRouter(handlers: [EchoHandler(domain: .camera)])
    let (zone, seal) = ("https://zone.test", "https://seal.test")
    let grants = ["\(zone)=camera.scanMRZ", "\(seal)=camera.scanSeal"]
    try await ServiceUnderTest.with(router, grants: grants) { service in
      let (zones, seals) = (
        try await service.webSocket(origin: zone), try await service.webSocket(origin: seal)
      )
      for (page, permitted, refused) in [(zones, "scanMRZ", "scanSeal"), (seals, "scanSeal", "scanMRZ")] {
        #expect(try await page.ask("camera.\(refused)").errorCode == "NOT_ALLOWED", "\(refused)")
        for method in [permitted, "isAvailable", "stopCamera"] {
          #expect(try await page.ask("camera.\(method)")["success"] == true, "\(permitted): \(method)")
        }
      }
      #expect(try await service.unix().ask("camera.scanSeal")["success"] == true)
    }
  }

  @Test("refuses an unknown method, and accepts every method that a handler implements")
  func methods() async throws {
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry()))
    for domain in BridgeDomain.published {
      #expect { try Grant("https://a.example=\(domain.rawValue).foo") } throws: {
        Failure($0).remedy?.contains(domain.methods.joined(separator: ", ")) == true
      }
      for method in domain.methods {
        #expect(throws: Never.self) { try Grant("https://a.example=\(domain.rawValue).\(method)") }
        guard domain != .custody else { continue }
        let request = BridgeRequest(id: "1", domain: domain, method: method, parameters: BridgeParameters())
        await router.route(request) { #expect($0.json["error"]?["code"] != "METHOD_NOT_FOUND", "\(method)") }
      }
    }
  }

  @Test("the grant for the Self client allows exactly the methods that the client calls")
  func selfClient() throws {
    let grant = Grant.selfClient(WebOrigin(.http, "127.0.0.1", port: 5173))
    #expect(try Grant(grant.argument) == grant)
    #expect(try Grant(grant.description) == grant)
    let grants = Grants([grant])
    let called = [
      "nfc.scan", "nfc.scanPassport", "nfc.cancelScan", "nfc.isSupported", "camera.scanMRZ", "camera.isAvailable",
      "camera.stopCamera", "secureStorage.get", "secureStorage.set", "secureStorage.remove", "crypto.generateKey",
      "crypto.getPublicKey", "crypto.sign", "biometrics.authenticate", "biometrics.isAvailable",
      "biometrics.getBiometryType", "haptic.trigger", "analytics.trackEvent", "analytics.trackNfcEvent",
      "analytics.logNfcEvent", "lifecycle.ready", "lifecycle.getConfig", "lifecycle.setResult", "lifecycle.dismiss",
      "documents.loadCatalog", "documents.saveCatalog", "documents.loadById", "documents.save", "documents.delete",
    ]
    // What a grant of a scan includes besides.
    let included = ["scanMrz", "watchReader", "stopWatching"]
    for domain in BridgeDomain.published {
      for method in domain.methods where "\(domain.rawValue).\(method)" != "lifecycle.startRelayListener" {
        let isCalled = called.contains("\(domain.rawValue).\(method)") || included.contains(method)
        #expect(grants.allows(grant.caller, domain, method) == isCalled, "\(domain.rawValue).\(method)")
      }
    }
  }

  @Test("a grant permits its domains and methods only")
  func permissions() throws {
    let grants = Grants(
      [try Grant("https://a.example=nfc,crypto.sign"), try Grant("https://a.example = crypto.getPublicKey")])
    let page = Caller.web(origin: "https://a.example")
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
    "refuses a malformed grant",
    arguments: [
      "https://a.example", "https://a.example=", "https://a.example=nfc,", "https://a.example=card",
      "https://a.example=nfc.", "https://a.example=nfc.scan.now", "https://a.example=nfc.*",
      "https://a.example=nfc scan",
    ])
  func malformed(_ text: String) {
    #expect(throws: Failure.self) { try Grant(text) }
  }

  @Test("what a denial outweighs is found in whichever line it stands")
  func outweighed() throws {
    let lines = ["https://a.example=nfc,crypto", "https://b.example=nfc", "https://a.example=!nfc"]
    let outweighed = Grant.outweighed(in: try lines.map { try Grant($0) })
    #expect(outweighed.map(\.name) == ["https://a.example"])
    #expect(outweighed.first?.permissions == [Grant.Permission(.nfc)])
    #expect(Grant.outweighed(in: [try Grant("https://a.example=nfc,!nfc.scan")]).isEmpty)
  }

  @Test("a program's own domain is known where the program says so, and its methods include what it says")
  func own() throws {
    let printer = BridgeDomain("printer", methods: ["print", "state"], granting: ["print": ["state"]], wish: nil)
    #expect { try Grant("https://a.example=printer") } throws: {
      Failure($0).cause == "The grant names an unknown domain." && Failure($0).remedy?.hasSuffix("by `of:`.") == true
    }
    #expect { try Grant("https://a.example=nfcc") } throws: {
      Failure($0).cause == "The grant names an unknown domain. Did you mean `nfc`?"
    }
    let grants = Grants([try Grant("https://a.example=printer.print", of: BridgeDomain.published + [printer])])
    let page = Caller.web(origin: "https://a.example")
    #expect(grants.allows(page, printer, "print") && grants.allows(page, printer, "state"))
    #expect { try Grant("https://a.example=scanner", of: [printer]) } throws: {
      Failure($0).remedy == "Use one of: printer."
    }
  }

  @Test("the grants file has one grant per line, and an error names its line")
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
    #expect { try GrantsFile.read(path) } throws: {
      Failure($0).cause.hasPrefix("Other users can write to the grants file")
    }
    #expect(GrantsFile.standardPath(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/tessera/grants")
    #expect(GrantsFile.standardPath(["HOME": "/h"]) == "/h/.config/tessera/grants")
  }

  @Test(
    "only LF and CRLF end a line of the grants file, so that no comment hides a grant",
    arguments: ["\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}", "\r"])
  func lineEnds(_ separator: String) throws {
    let comment = "# pages\(separator)https://hidden.example = nfc\r\nhttps://a.example = nfc\r\n"
    #expect(try GrantsFile.parse(Array(comment.utf8), named: "grants") == [Grant("https://a.example=nfc")])
    let live = "https://a.example = nfc\(separator)https://hidden.example = nfc\n"
    #expect { try GrantsFile.parse(Array(live.utf8), named: "grants") } throws: {
      Failure($0).cause.hasPrefix("grants, line 1: ")
    }
    let end = "\nhttps://a.example = nfc\(separator)\(separator)\n"
    #expect { try GrantsFile.parse(Array(end.utf8), named: "grants") } throws: {
      Failure($0).cause.hasPrefix("grants, line 2: ")
    }
  }

  @Test("refuses a special file and a file in a folder that other users can write to, also behind a symbolic link")
  func places() throws {
    let folder = try TemporaryFolder()
    let settings = folder.file("tessera")
    try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
    let path = settings + "/grants"
    try "https://a.example = nfc\n".write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: path)
    #expect(try GrantsFile.read(path).count == 1)
    #expect(try GrantsFile.read(folder.file("link")).count == 1)
    for mode: mode_t in [0o777, 0o770, 0o1777] {
      chmod(settings, mode)
      for name in [path, folder.file("link")] {
        #expect { try GrantsFile.read(name) } throws: {
          Failure($0).cause == "Other users can write to the folder \(settings) of the grants file."
        }
      }
    }
    chmod(settings, 0o700)
    chmod(folder.url.path, 0o777)
    #expect(try GrantsFile.read(path).count == 1)
    #expect(throws: Failure.self) { try GrantsFile.read(folder.file("link")) }
    chmod(folder.url.path, 0o700)
    unlink(path)
    #expect(try GrantsFile.read(path).isEmpty)
    mkfifo(path, 0o600)
    #expect { try GrantsFile.read(path) } throws: { Failure($0).cause.contains("cannot be read") }
  }

  @Test(
    "refuses WebSocket addresses other than loopback",
    arguments: [
      "0.0.0.0:80", "192.168.1.2:80", "[::]:80", "127.0.0.1", "localhost:80", ":80", "127.0.0.1:65536", "127.0.0.1:-1",
    ])
  func loopbackOnly(_ text: String) {
    #expect(throws: Failure.self) { try LoopbackAddress(text) }
  }

  @Test("the Host header names the address and the port")
  func hosts() throws {
    #expect(try LoopbackAddress("127.0.0.1:0").port == 0)
    #expect(try LoopbackAddress("[::1]:84").host == "::1")
    #expect(LoopbackAddress.hostHeaders("127.0.0.1", port: 84) == ["127.0.0.1:84", "localhost:84"])
    #expect(LoopbackAddress.hostHeaders("::1", port: 84) == ["[::1]:84", "localhost:84"])
    #expect(LoopbackAddress.hostHeaders("127.0.0.9", port: 80) == ["127.0.0.9:80", "127.0.0.9"])
  }
}
