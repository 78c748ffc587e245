import Foundation
import TesseraThreads
import Testing

@testable import TesseraBridge

@Suite("Domains of the bridge")
struct DomainTests {
  private static func answers(_ router: MessageRouter, _ domain: String, _ parameters: String = "{}") async
    -> [JSONValue]
  {
    let answers = Locked<[JSONValue]>([])
    let text =
      #"{"id":"1","version":1,"domain":"\#(domain)","method":"print","params":\#(parameters),"timestamp":1}"#
    await router.route(text, from: .local) { message in answers.withLock { $0.append(message.json) } }
    return answers.withLock { $0 }
  }

  @Test("a published domain gets a response without a handler, also where the text is malformed")
  func published() async {
    let router = MessageRouter(handlers: [])
    for name in BridgeDomain.published.map(\.rawValue) {
      #expect(await Self.answers(router, name).map { $0["error"]?["code"] } == ["DOMAIN_NOT_FOUND"], "\(name)")
      let malformed = await Self.answers(router, name, #"{"a":"\ud800"}"#)
      #expect(malformed.map { $0["error"]?["code"] } == ["MALFORMED_TEXT"], "\(name)")
    }
  }

  @Test("a program's own domain is answered by the router that has its handler, and malformed for every other")
  func own() async {
    let plain = MessageRouter(handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry()))
    let serving = plain.serving(PrinterHandler())
    for parameters in ["{}", #"{"a":"\ud800"}"#] {
      let code: JSONValue = parameters == "{}" ? "MALFORMED_REQUEST" : "MALFORMED_TEXT"
      #expect(await Self.answers(plain, "printer", parameters).map { $0["error"]?["code"] } == [code])
      #expect(await Self.answers(serving, "printer", parameters).map { $0["domain"] } == ["printer"])
    }
    #expect(await Self.answers(serving, "printer").map { $0["data"] } == ["printed"])
    let others = await Self.answers(serving, "Printer")
    #expect(
      others.map { $0["error"]?["details"]?["member"] } == ["domain"] && others.map { $0["domain"] } == ["Printer"])
  }

  @Test("a misspelled method or domain is answered with what it resembles, or with all; other text is not quoted")
  func misspelled() async throws {
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry()))
    func message(_ domain: String, _ method: String) async throws -> String {
      let answer = Locked(JSONValue.null)
      let text = #"{"id":"1","version":1,"domain":"\#(domain)","method":"\#(method)","params":{},"timestamp":1}"#
      await router.route(text, from: .local) { message in answer.withLock { $0 = message.json } }
      return try #require(answer.withLock { $0 }["error"]?["message"]?.stringValue)
    }
    #expect(
      try await message("nfc", "scanPasport") == "nfc has no method `scanPasport`. Did you mean `scanPassport`?")
    #expect(try await message("camera", "scanMrX").contains("Did you mean"))
    let all = "Use one of: generateKey, getPublicKey, sign, deleteKey."
    #expect(try await message("crypto", "listKeys") == "crypto has no method `listKeys`. \(all)")
    for strange in ["", "a`b", "<b>", "ä", #"\n"#, String(repeating: "a", count: 65)] {
      #expect(try await message("crypto", strange) == "crypto has no such method. \(all)", "\(strange)")
    }
    let domain = #"The member "domain" of the request must be the name of a domain of this host"#
    #expect(try await message("nfcc", "scan") == "\(domain), and `nfcc` is none. Did you mean `nfc`?")
    #expect(
      try await message("passport", "scan").hasPrefix("\(domain), and `passport` is none. Use one of: analytics, "))
    #expect(try await message("a b", "scan") == "\(domain).")
  }

  @Test("a request carries the domain as its handler describes it, and a published one as it is published")
  func described() throws {
    func request(_ router: MessageRouter, _ domain: String) throws -> BridgeRequest? {
      let text = #"{"id":"1","version":1,"domain":"\#(domain)","method":"print","params":{},"timestamp":1}"#
      guard case .request(let request) = router.read(try JSONValue(text: text), from: .local, over: .only) else {
        return nil
      }
      return request
    }
    let imposter = BridgeDomain("camera", methods: [], wish: nil)
    let router = MessageRouter(handlers: [PrinterHandler(), PrinterHandler(domain: imposter)])
    #expect(try request(router, "printer")?.domain.wish == "wants to print a receipt.")
    #expect(try request(router, "camera")?.domain.wish == BridgeDomain.camera.wish)
    #expect(try request(router, "scanner") == nil)
  }

  @Test("the text of a published domain is its name, and no other name is one")
  func names() throws {
    #expect(BridgeDomain(rawValue: "printer") == nil && BridgeDomain(rawValue: "NFC") == nil)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([BridgeDomain].self, from: Data(#"["i18n"]"#.utf8)) }
    let text = try JSONEncoder().encode(BridgeDomain.published)
    #expect(try JSONDecoder().decode([BridgeDomain].self, from: text) == BridgeDomain.published)
    #expect("\(BridgeDomain.secureStorage)" == "secureStorage")
  }
}

private struct PrinterHandler: BridgeHandler {
  var domain = BridgeDomain("printer", methods: ["print"], wish: "wants to print a receipt.")

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue { "printed" }
}
