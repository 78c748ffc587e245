import TesseraJSON
import TestSupport
import Testing

@testable import PassageProtocol

@Suite("Messages between a host program and tessera-passage")
struct HostMessageTests {
  private static let cookie: PassageCookie = {
    var cookie = PassageCookie(name: "a", value: "ü=1", domain: ".bank.example")
    cookie.path = "/x"
    cookie.expires = 1_900_000_000
    cookie.secure = true
    cookie.httpOnly = false
    cookie.sameSite = .lax
    return cookie
  }()

  private static let config: PassageConfig = {
    var config = PassageConfig(uiUrl: "https://ui.example", apiUrl: "https://api.example")
    config.socketUrl = "https://socket.example"
    config.automationUrl = "https://automation.example/base"
    config.socketNamespace = "/other"
    config.agentName = "host"
    config.sendsJoin = false
    config.sendsResultsOverSocket = false
    return config
  }()

  private static let calls: [HostRequest.Call] = [
    .close, .navigate("https://a.example/ü?x=\"1\""), .goBack, .goForward, .cookies(of: "https://a.example"),
    .setCookie(cookie, for: "https://bank.example/x"),
    .setCookie(PassageCookie(name: "n", value: "", domain: "a.example"), for: "https://a.example"),
    .clearCookies(of: "https://a.example"), .clearCookiesOfDomains([".a.example", "b.example"]),
    .clearCookiesOfDomains([]), .clearAllCookies, .clearWebViewState, .clearWebViewData, .resetWebViewURLs,
    .releaseResources, .injectJavaScript("1;\n2", .ui), .injectJavaScript("", .automation),
    .completeRecording(["a": [1, nil]]), .captureRecordingData(nil),
  ]

  @Test("every message of a host is read as it was written")
  func hostMessages() throws {
    var messages: [HostMessage] = [
      .configure(Self.config), .configure(PassageConfig(uiUrl: "u", apiUrl: "a")),
      .open(PassageOpening(intentToken: "a.b.c")),
      .open(PassageOpening(intentToken: "", presentation: .fullScreen)),
    ]
    messages += Self.calls.enumerated().map { .request(HostRequest(id: $0.offset, $0.element)) }
    var lines = HostLines()
    let bytes = messages.flatMap { HostLines.line($0.json) }
    let read = try lines.receive(bytes).map { try HostMessage($0.value) }
    #expect(read == messages)
    #expect(bytes.count { $0 == 0x0A } == messages.count)
  }

  private static let callbacks: [PassageCallback] = [
    .connectionComplete(
      PassageSuccessData(
        history: [
          PassageHistoryItem(structuredData: ["book": "x"], additionalData: ["n": 1]), PassageHistoryItem(),
        ], connectionId: "c-1", data: ["connections": []])),
    .connectionComplete(PassageSuccessData(history: [], connectionId: "")),
    .connectionError(PassageErrorData(error: "x", data: 1)), .connectionError(PassageErrorData(error: "")),
    .dataComplete(PassageDataResult(data: [1], prompts: [["key": "a"], [:]])), .dataComplete(PassageDataResult()),
    .promptComplete(PassagePromptResponse(key: "k", value: "v", response: ["x": nil])), .exit(.userAction),
    .exit(.programmaticClose), .exit(.success), .exit(.error), .webviewChange(.ui), .webviewChange(.automation),
  ]

  @Test("every message of the process is read as it was written")
  func viewsMessages() throws {
    var messages: [ViewsMessage] = [
      .ready, .openExternally("https://a.example/?b=\u{22}c"), .answer(id: 0, nil), .answer(id: 7, ["a": [true]]),
      .failure(id: 3, .init(.usage, "cause", remedy: "remedy")), .failure(id: nil, .init(.serviceUnavailable, "cause")),
    ]
    messages += Self.callbacks.map(ViewsMessage.callback)
    var lines = HostLines()
    let read = try lines.receive(messages.flatMap { HostLines.line($0.json) }).map { try ViewsMessage($0.value) }
    #expect(read == messages)
  }

  @Test(
    "a wrong message of a host is refused by the name of its member",
    arguments: [
      (#"[]"#, HostMessageError.missing("type")), (#"{"type":1}"#, .missing("type")), (#"{"type":"?"}"#, .unknownType),
      (#"{"type":"configure"}"#, .missing("config")), (#"{"type":"configure","config":{}}"#, .missing("uiUrl")),
      (#"{"type":"configure","config":{"uiUrl":"u"}}"#, .missing("apiUrl")),
      (#"{"type":"configure","config":{"uiUrl":"u","apiUrl":1}}"#, .wrong("apiUrl")),
      (#"{"type":"configure","config":{"uiUrl":"u","apiUrl":"a","sendsJoin":"yes"}}"#, .wrong("sendsJoin")),
      (#"{"type":"open"}"#, .missing("intentToken")),
      (#"{"type":"open","intentToken":"t","presentationStyle":"popover"}"#, .wrong("presentationStyle")),
      (#"{"type":"close"}"#, .wrong("id")), (#"{"type":"close","id":-1}"#, .wrong("id")),
      (#"{"type":"close","id":1.5}"#, .wrong("id")), (#"{"type":"close","id":18446744073709551616}"#, .wrong("id")),
      (#"{"type":"navigate","id":1}"#, .missing("url")), (#"{"type":"navigate","id":1,"url":[]}"#, .wrong("url")),
      (#"{"type":"setCookie","id":1,"url":"u"}"#, .missing("cookie")),
      (#"{"type":"setCookie","id":1,"url":"u","cookie":{"name":"a","value":"b"}}"#, .wrong("cookie")),
      (
        #"{"type":"setCookie","id":1,"url":"u","cookie":{"name":"a","value":"b","domain":"d","expires":"1"}}"#,
        .wrong("cookie")
      ),
      (
        #"{"type":"setCookie","id":1,"url":"u","cookie":{"name":"a","value":"b","domain":"d","sameSite":"no"}}"#,
        .wrong("cookie")
      ),
      (#"{"type":"clearCookiesForDomains","id":1}"#, .wrong("domains")),
      (#"{"type":"clearCookiesForDomains","id":1,"domains":[1]}"#, .wrong("domains")),
      (#"{"type":"injectJavaScript","id":1,"script":"1","webViewType":"both"}"#, .wrong("webViewType")),
    ])
  func wrongHostMessages(text: String, error: HostMessageError) throws {
    let json = try JSONValue(text: text)
    #expect(throws: error) { try HostMessage(json) }
  }

  @Test(
    "a wrong message of the process is refused by the name of its member",
    arguments: [
      (#"{}"#, HostMessageError.missing("type")), (#"{"type":"callback"}"#, .missing("value")),
      (#"{"type":"callback","name":"onWish","value":1}"#, .unknownType),
      (#"{"type":"callback","name":"onExit","value":"boredom"}"#, .wrong("onExit")),
      (#"{"type":"callback","name":"onConnectionComplete","value":{"history":[]}}"#, .wrong("onConnectionComplete")),
      (
        #"{"type":"callback","name":"onConnectionComplete","value":{"history":[1],"connectionId":""}}"#,
        .wrong("history")
      ),
      (#"{"type":"callback","name":"onDataComplete","value":{"prompts":[1]}}"#, .wrong("prompts")),
      (#"{"type":"openExternally"}"#, .missing("url")),
      (#"{"type":"answer","value":1}"#, .missing("value")), (#"{"type":"answer","id":"1","value":1}"#, .wrong("id")),
      (#"{"type":"failure","kind":"sadness","cause":"x"}"#, .wrong("kind")),
    ])
  func wrongViewsMessages(text: String, error: HostMessageError) throws {
    let json = try JSONValue(text: text)
    #expect(throws: error) { try ViewsMessage(json) }
  }

  @Test("too much of one thing is refused")
  func limits() throws {
    let token = String(repeating: "t", count: PassageOpening.maximumTokenLength)
    #expect(throws: Never.self) { try HostMessage(["type": "open", "intentToken": .string(token)]) }
    #expect(throws: HostMessageError.tooLong("intentToken")) {
      try HostMessage(["type": "open", "intentToken": .string(token + "t")])
    }
    let domains = [JSONValue](repeating: "a.example", count: 1_001)
    #expect(throws: HostMessageError.tooLong("domains")) {
      try HostMessage(["type": "clearCookiesForDomains", "id": 1, "domains": .array(domains)])
    }
    #expect(throws: HostMessageError.tooLong("url")) {
      try HostMessage(["type": "navigate", "id": 1, "url": .string(String(repeating: "u", count: 65_537))])
    }
  }

  @Test("lines are read in pieces of every size, and empty ones are skipped", arguments: [1, 2, 3, 7, 64, 4_096])
  func pieces(size: Int) throws {
    let messages = Self.calls.enumerated().map { HostMessage.request(HostRequest(id: $0.offset, $0.element)) }
    let bytes: [UInt8] = [0x0A, 0x0A] + messages.flatMap { HostLines.line($0.json) + [0x0A] }
    var lines = HostLines()
    var read: [HostMessage] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      read += try lines.receive(bytes[start..<min(start + size, bytes.count)]).map { try HostMessage($0.value) }
    }
    #expect(read == messages)
  }

  @Test("a line that is too long, no UTF-8, or no JSON ends the conversation")
  func wrongLines() throws {
    var lines = HostLines()
    let half = [UInt8](repeating: 0x20, count: HostLines.maximumLength / 2)
    #expect(try lines.receive(half).isEmpty)
    #expect(try lines.receive(half).isEmpty)
    #expect(throws: HostMessageError.lineTooLong) { try lines.receive([0x20]) }
    for bytes: [UInt8] in [[0xFF, 0x0A], Array("{\n".utf8), Array("{} {}\n".utf8)] {
      var lines = HostLines()
      #expect(throws: HostMessageError.notJSON) { try lines.receive(bytes) }
    }
  }

  @Test("10,000 damaged messages are read or refused")
  func damaged() throws {
    var random = SeededGenerator(seed: 20_250_929)
    let samples =
      Self.calls.map { HostLines.line(HostMessage.request(HostRequest(id: 1, $0)).json) }
      + Self.callbacks.map { HostLines.line(ViewsMessage.callback($0).json) }
      + [HostLines.line(HostMessage.configure(Self.config).json)]
    var (understood, refused) = (0, 0)
    for index in 0..<10_000 {
      var bytes = samples[index % samples.count]
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let place = Int.random(in: 0..<bytes.count - 1, using: &random)
        bytes[place] =
          [0x22, 0x2C, 0x5B, 0x7D, 0x30, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
      }
      var lines = HostLines()
      do {
        for line in try lines.receive(bytes) {
          if (try? HostMessage(line.value)) != nil || (try? ViewsMessage(line.value)) != nil {
            understood += 1
          } else {
            refused += 1
          }
        }
      } catch {
        refused += 1
      }
    }
    #expect(understood > 3_000)
    #expect(refused > 2_000)
  }
}
