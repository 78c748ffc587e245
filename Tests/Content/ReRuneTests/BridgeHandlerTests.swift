import TesseraBridge
import TesseraThreads
import Testing

@testable import ReRune

@Suite struct BridgeHandlerTests {
  private static func request(_ parameters: String, method: String = "get") -> String {
    #"{"id":"1","version":1,"domain":"i18n","method":"\#(method)","params":\#(parameters),"timestamp":1}"#
  }

  private static func answers(_ router: MessageRouter, _ text: String) async -> [JSONValue] {
    let answers = Locked<[JSONValue]>([])
    await router.route(text, from: .local) { message in answers.withLock { $0.append(message.json) } }
    return answers.withLock { $0 }
  }

  private static func handler() async throws -> (ReRuneBridgeHandler, StringsLab, OverTheAirStrings) {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"revision": 7, "locales": ["de-AT"]}"#)
    lab.server.publishTexts("de-AT", #"{"a": "<b>1</b>", "c": "2"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    _ = await strings.checkForUpdates()
    return (ReRuneBridgeHandler(strings), lab, strings)
  }

  @Test func pagesGetTextsByTheirKeys() async throws {
    let (handler, _, _) = try await Self.handler()
    let router = MessageRouter(handlers: [handler])
    let answers = await Self.answers(router, Self.request(#"{"keys":["a","c","missing","a"]}"#))
    #expect(answers.count == 1)
    #expect(answers.first?["data"] == ["a": "<b>1</b>", "c": "2", "missing": "missing"])
    #expect(answers.first?["domain"] == "i18n")
    #expect(await Self.answers(router, Self.request(#"{"keys":[]}"#)).first?["data"] == [:])
  }

  @Test func aNumberChoosesAForm() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"revision": 7, "locales": ["de"]}"#)
    lab.server.publishTexts(
      "de",
      #"""
      {"sourceLanguage": "en", "strings": {"n": {"localizations": {"de": {"variations": {"plural": {
        "one": {"stringUnit": {"value": "ein Ding"}}, "other": {"stringUnit": {"value": "viele Dinge"}}}}}}}}}
      """#, etag: nil)
    let strings = try lab.strings("de")
    _ = await strings.checkForUpdates()
    let router = MessageRouter(handlers: [ReRuneBridgeHandler(strings)])
    for (count, text) in [(1, "ein Ding"), (0, "viele Dinge")] {
      let answers = await Self.answers(router, Self.request(#"{"keys":["n","m"],"counts":{"n":\#(count)}}"#))
      #expect(answers.first?["data"] == ["n": .string(text), "m": "m"])
    }
  }

  @Test(arguments: [
    "{}", #"{"keys":"a"}"#, #"{"keys":[1]}"#, #"{"keys":["a"],"counts":[1]}"#, #"{"keys":["a"],"counts":{"a":1.5}}"#,
    #"{"keys":["a"],"counts":{"a":"1"}}"#, #"{"keys":{"a":"b"}}"#,
    #"{"keys":["\#(String(repeating: "a", count: 1_025))"]}"#,
    "{\"keys\":[\(Array(repeating: "\"a\"", count: 1_001).joined(separator: ","))]}",
  ])
  func otherParametersAreRefused(parameters: String) async throws {
    let (handler, _, _) = try await Self.handler()
    let answers = await Self.answers(MessageRouter(handlers: [handler]), Self.request(parameters))
    #expect(answers.map { $0["error"]?["code"] } == ["INVALID_PARAMS"])
  }

  @Test func otherMethodsDoNotExist() async throws {
    let (handler, _, _) = try await Self.handler()
    let answers = await Self.answers(MessageRouter(handlers: [handler]), Self.request("{}", method: "set"))
    #expect(answers.map { $0["error"]?["code"] } == ["METHOD_NOT_FOUND"])
  }

  /// For a host without the handler, a request of the domain is malformed.
  @Test func withoutTheHandlerTheDomainIsUnknown() async throws {
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry()))
    for (parameters, code) in [(#"{"keys":["a"]}"#, "MALFORMED_REQUEST"), (#"{"keys":["\ud800"]}"#, "MALFORMED_TEXT")] {
      let answers = await Self.answers(router, Self.request(parameters))
      #expect(answers.map { $0["error"]?["code"]?.stringValue } == [code])
    }
    #expect(!BridgeDomain.published.contains(.i18n))
    let (handler, _, _) = try await Self.handler()
    #expect(await Self.answers(router.serving(handler), Self.request(#"{"keys":["\ud800"]}"#)).count == 1)
  }

  @Test func pagesLearnOfEachRevision() async throws {
    let (handler, lab, strings) = try await Self.handler()
    var events = handler.events.makeAsyncIterator()
    #expect(await events.next(isolation: nil) == .event(domain: .i18n, name: "revision", data: ["revision": 7]))
    lab.server.publishTexts("de-AT", #"{"a": "3"}"#, etag: "\"b\"")
    _ = await strings.checkForUpdates()
    #expect(await events.next(isolation: nil) == .event(domain: .i18n, name: "revision", data: ["revision": 7]))
  }
}
