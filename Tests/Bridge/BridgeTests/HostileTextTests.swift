import BridgeVectors
import Foundation
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge

/// Texts whose comparison by `String` takes minutes: long runs of combining marks out of canonical order.
enum HostileText {
  static let marks = "a" + String(repeating: "\u{316}\u{301}", count: 200_000)
  /// The same marks in another order: equal for `String`.
  static let others = "a" + String(repeating: "\u{301}\u{316}", count: 200_000)
}

@Suite("JSON objects")
struct JSONObjectTests {
  @Test("compares names by bytes", .timeLimit(.minutes(2)))
  func names() throws {
    var object: JSONObject = ["\u{E9}": 1, "e\u{301}": 2, "K": 3, "\u{212A}": 4]
    #expect(object.count == 4)
    object[HostileText.marks] = 5
    object[HostileText.others] = 6
    for number in 0..<40 { object["\(HostileText.marks.prefix(0))\(number)"] = .integer(Int64(number)) }
    #expect(object.count == 46)
    #expect(object[HostileText.marks] == 5)
    #expect(object[HostileText.others] == 6)
    #expect(object["id"] == nil)
    #expect(object["39"] == 39)
  }

  @Test("preserves the order of members when some are replaced or removed", arguments: [3, 100])
  func order(_ count: Int) throws {
    var object = JSONObject()
    for number in 0..<count { object["\(number)"] = .integer(Int64(number)) }
    object["0"] = "new"
    object["1"] = nil
    object["1"] = "last"
    object["2"] = nil
    object["never there"] = nil
    let rest = (3..<count).map { "\($0)" }
    #expect(object.names == ["0"] + rest + ["1"])
    #expect(object["0"] == "new")
    #expect(object["1"] == "last")
    #expect(object["2"] == nil)
    #expect(rest.allSatisfy { object[$0] == .integer(Int64($0) ?? -1) })
  }

  @Test("compares objects without regard to order")
  func equality() throws {
    #expect(try JSONValue(text: #"{"a":1,"b":[{}]}"#) == JSONValue(text: #"{"b":[{}],"a":1}"#))
    #expect(try JSONValue(text: #"{"a":1}"#) != JSONValue(text: #"{"a":1,"b":null}"#))
    #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
  }

  @Test("handles many members in linear time", .timeLimit(.minutes(2)))
  func many() throws {
    let text = "{" + (0..<200_000).map { "\"member \($0)\":\($0)" }.joined(separator: ",") + "}"
    let value = try JSONValue(text: text)
    #expect(value["member 199999"] == 199_999)
    #expect(value.text == text)
  }
}

@Suite("Messages that cannot be parsed")
struct AnsweredMessageTests {
  private static func answers(_ text: String) async -> [JSONValue] {
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry()))
    let answers = Locked<[JSONValue]>([])
    await router.route(text, from: .local) { message in answers.withLock { $0.append(message.json) } }
    return answers.withLock { $0 }
  }

  private static func request(_ parameters: String, _ more: String = "") -> String {
    #"{"type":"request","version":1,"id":"a","domain":"haptic","method":"trigger","params":"# + parameters
      + #","timestamp":1"# + more + "}"
  }

  @Test(
    "answers an unreadable request with the reason",
    arguments: [
      (#"{"type":"\ud83d"}"#, "", "MALFORMED_TEXT"), (#"{"type":"😀\ude00"}"#, "", "MALFORMED_TEXT"),
      (#"{"\ud83d":1}"#, "", "MALFORMED_TEXT"),
      (String(repeating: "[", count: 65) + String(repeating: "]", count: 65), "", "NESTING_TOO_DEEP"),
      (String(repeating: "[{\"id\":\"b\",\"domain\":\"nfc\",\"a\":", count: 50_000), "", "NESTING_TOO_DEEP"),
      ("{}", #","version":1e400"#, "UNSUPPORTED_VERSION"), ("{}", #","version":1.5"#, "UNSUPPORTED_VERSION"),
      ("{}", #","version":99999999999999999999"#, "UNSUPPORTED_VERSION"),
    ])
  func errors(_ parameters: String, _ more: String, _ code: String) async throws {
    let answers = await Self.answers(Self.request(parameters, more))
    #expect(answers.count == 1)
    #expect(answers.first?["requestId"] == "a")
    #expect(answers.first?["domain"] == "haptic")
    #expect(answers.first?["error"]?["code"] == .string(code))
  }

  @Test(
    "accepts numbers of any length in parameters and timestamp",
    arguments: ["1.5", "1e400", String(repeating: "9", count: 900_000)])
  func numbers(_ number: String) async throws {
    for text in [Self.request("{\"type\":\(number)}"), Self.request("{}", ",\"timestamp\":\(number)")] {
      let answers = await Self.answers(text)
      #expect(answers.map { $0["success"] } == [true])
    }
  }

  @Test("finds identifier and domain of incomplete messages, but not in nested values")
  func heads() throws {
    func head(_ text: String) -> [String]? {
      BridgeRequestHead(Array(text.utf8)).map { [$0.id, $0.domain.rawValue] }
    }
    #expect(head(#"{"params":{"id":"x","a":["}",{"b":"\""}]},"domain":"nfc","\u0069d":"y"}"#) == ["y", "nfc"])
    #expect(head(#"{"id":"x","params":{"pad":"aaaa"#) == ["x", "lifecycle"])
    #expect(head(#"{"id":"x","domain":"nfc","id":"z""#) == ["z", "nfc"])
    #expect(head(#"{"id":"x","type":"event"}"#) == ["x", "lifecycle"])
    #expect(head(#"{"id":"x","domain":"none"}"#) == ["x", "lifecycle"])
    for text in [
      "", "{", "[", "{}", #"{"id":1}"#, #"{"id":"x"#, #"["id","x"]"#, #"{"params":{"id":"x"}"#, #"{"id":"\ud800"}"#,
      #"{"id":"x","id":7}"#, #"{"a\":"#,
    ] {
      #expect(head(text) == nil, "\(text)")
    }
  }

  @Test(
    "finds the same identifier and domain as the parser in damaged messages")
  func fuzz() async throws {
    let alphabet = Array("{}[]\",:\\u0123456789abcdefDd8 \n\u{1}é".utf8)
    var found = 0
    await Fuzzing.manyTimes(20_000, of: "damaged messages") { generator in
      var bytes = Array(Self.request(#"{"type":["light",{"id":"b"}]}"#).utf8)
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
        case 1: bytes.removeSubrange(place...)
        default: bytes[place] = alphabet.randomElement(using: &generator) ?? 0
        }
        if bytes.isEmpty { return }
      }
      let head = BridgeRequestHead(bytes)
      if head != nil { found += 1 }
      guard let request = BridgeRequest(text: String(decoding: bytes, as: UTF8.self)) else { return }
      #expect(head?.id == request.id && head?.domain == request.domain, "\(String(decoding: bytes, as: UTF8.self))")
    }
    #expect(found > 1_000)
  }
}

@Suite("Names in requests")
struct WordTests {
  @Test("rejects methods and domains of any length", .timeLimit(.minutes(2)))
  func methods() async throws {
    let environment = try VectorEnvironment()
    let marks = JSONValue.string(HostileText.marks).text
    for domain in BridgeDomain.published where domain != .custody {
      let codes = Locked<[String?]>([])
      let text =
        #"{"id":"1","version":1,"domain":""# + domain.rawValue + #"","method":"# + marks
        + #","params":{},"timestamp":1,"# + marks + ":1}"
      await environment.router.route(text, from: .local) { message in
        codes.withLock { $0.append(message.json["error"]?["code"]?.stringValue) }
      }
      #expect(codes.withLock { $0 } == ["METHOD_NOT_FOUND"], "\(domain)")
    }
    #expect(
      BridgeRequest(text: #"{"id":"1","version":1,"domain":"# + marks + #","method":"","params":{},"timestamp":1}"#)
        == nil)
  }

  @Test("handles parameters that String compares in quadratic time", .timeLimit(.minutes(5)))
  func parameters() async throws {
    let names = [
      "key", "value", "id", "data", "document", "catalog", "keyRef", "type", "style", "routeName", "reason",
      "documentType", "event", "name", "level", "step", "errorCode", "success", "requireBiometric", "format", "useCan",
    ]
    let parameters = BridgeParameters(
      JSONObject(Dictionary(uniqueKeysWithValues: names.map { ($0, .string(HostileText.marks)) })))
    let registry = SdkProviderRegistry()
    let environment = try VectorEnvironment()
    registry.register { [providers = environment.registry.providers] in
      $0 = providers
      $0.analytics = DiscardingAnalytics()
    }
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: registry))
    for (domain, method) in [
      (BridgeDomain.haptic, "trigger"), (.haptic, "impact"), (.haptic, "notification"), (.analytics, "trackEvent"),
      (.analytics, "logNfcEvent"), (.lifecycle, "setResult"), (.crypto, "getPublicKey"), (.crypto, "sign"),
      (.secureStorage, "get"), (.documents, "list"), (.navigation, "goTo"), (.biometrics, "isAvailable"),
    ] {
      let count = Locked(0)
      await router.route(BridgeRequest(id: HostileText.marks, domain: domain, method: method, parameters: parameters)) {
        _ in
        count.withLock { $0 += 1 }
      }
      #expect(count.withLock { $0 } == 1, "\(domain).\(method)")
    }
  }

  @Test("lists documents whose identifier begins with a combining mark")
  func listed() {
    for id in ["\u{301}", "é", "e\u{301}", "", "\u{200D}x", "doc_"] {
      #expect(DocumentKey.id(DocumentKey.document(id))?.hasBytes(of: id) == true)
    }
    #expect(DocumentKey.id(DocumentKey.catalog) == nil)
  }

  @Test("isAvailable responds with false without a biometric provider")
  func noBiometrics() async {
    let router = MessageRouter(handlers: [BiometricBridgeHandler(registry: SdkProviderRegistry())])
    func answer(_ method: String) async -> JSONValue {
      let answer = Locked<JSONValue>(nil)
      await router.route(BridgeRequest(id: "1", domain: .biometrics, method: method, parameters: BridgeParameters())) {
        message in answer.withLock { $0 = message.json }
      }
      return answer.withLock { $0 }
    }
    let isAvailable = await answer("isAvailable")
    #expect(isAvailable["success"] == true)
    #expect(isAvailable["data"] == false)
    #expect(await answer("authenticate")["error"]?["code"] == "NOT_CONFIGURED")
  }
}

private struct DiscardingAnalytics: AnalyticsProvider {
  func record(_ event: AnalyticsEvent) async {}
}
