import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge

@Suite("Requests of another version")
struct VersionTests {
  private static func answers(_ text: String) async -> [JSONValue] {
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry()))
    let answers = Locked<[JSONValue]>([])
    await router.route(text, from: .local) { message in answers.withLock { $0.append(message.json) } }
    return answers.withLock { $0 }
  }

  private static func request(version: String?, domain: String = #""haptic""#, more: String = "") -> String {
    let version = version.map { #""version":\#($0),"# } ?? ""
    return #"{"type":"request",\#(version)"id":"a","domain":\#(domain)\#(more)}"#
  }

  /// The members that a request of the supported version must have.
  private static let rest = #","method":"trigger","params":{},"timestamp":1"#

  /// The values, what the host is told of them, and whether to load the page again can help.
  static let versions: [(version: String?, received: String?, isRecoverable: Bool)] = [
    (nil, nil, true), ("null", "null", true), (#""1""#, "text", true), (#""""#, "text", true), (#"" 1""#, "text", true),
    (#""1.0""#, "text", true), ("true", "boolean", true), ("[1]", "list", true), (#"{"a":1}"#, "object", true),
    ("2", "2", false), ("0", "0", false), ("-1", "-1", false), ("1.5", "1.5", false), ("1e400", "1e400", false),
    ("99999999999999999999", "99999999999999999999", false),
    ("999999999999999999999999999999", "99999999999999999999", false),
  ]

  @Test("fails with UNSUPPORTED_VERSION before anything else of the request is looked at", arguments: versions)
  func unsupported(_ version: String?, _ received: String?, _ isRecoverable: Bool) async throws {
    for more in [Self.rest, "", #","method":7,"params":[],"timestamp":{}"#] {
      let text = Self.request(version: version, more: more)
      let answers = await Self.answers(text)
      #expect(answers.count == 1)
      let answer = try #require(answers.first)
      #expect(answer["requestId"] == "a" && answer["domain"] == "haptic" && answer["success"] == false)
      #expect(answer["error"]?["code"] == "UNSUPPORTED_VERSION" && answer["version"] == 1 && answer["data"] == .null)
      let mismatch = try #require(VersionMismatch(JSONValue(text: text)))
      #expect(mismatch.received == received && mismatch.expected == 1)
      #expect(mismatch.isRecoverable == isRecoverable)
    }
  }

  @Test(
    "only a message that says that it is a request, and gets the answer, tells the host of a client",
    arguments: [
      (#"{"type":"request","id":"a","domain":"haptic"}"#, true),
      (#"{"type":"request","version":2,"id":"a","domain":"payments"}"#, true), ("{}", false), (#"{"ping":1}"#, false),
      (#"{"type":"request"}"#, false), (#"{"type":"request","id":7,"domain":"haptic"}"#, false),
      (#"{"type":"request","version":2,"id":"a"}"#, false), (#"{"version":2,"id":"a","domain":"haptic"}"#, false),
    ] as [(String, Bool)])
  func clients(_ text: String, _ isOfClient: Bool) throws {
    #expect(VersionMismatch(try JSONValue(text: text))?.isOfClient == isOfClient)
  }

  @Test("the number 1 is the supported version in every notation", arguments: ["1", "1.0", "1e0", "10e-1", "100E-2"])
  func supported(_ version: String) async throws {
    let text = Self.request(version: version, more: Self.rest)
    #expect(await Self.answers(text).map { $0["success"] } == [true])
    #expect(VersionMismatch(try JSONValue(text: text)) == nil)
  }

  @Test("the answer has the domain of the request, also one that this host does not know")
  func domains() async throws {
    for domain in BridgeDomain.published.map(\.rawValue) + ["i18n", "payments"] {
      for version in [nil, "2", #""1""#] {
        let answers = await Self.answers(Self.request(version: version, domain: #""\#(domain)""#))
        #expect(answers.map { $0["error"]?["code"] } == ["UNSUPPORTED_VERSION"], "\(domain)")
        #expect(answers.map { $0["domain"]?.stringValue } == [domain])
        // Every member that a client wants.
        for member in ["type", "id", "timestamp", "requestId", "success", "data", "error"] {
          #expect(answers.first?[member] != nil, "\(member)")
        }
      }
    }
    let script = BridgeMessage.refusal(to: "a", domain: "payments", BridgeError("C", "m")).script
    #expect(script.hasPrefix("window.SelfNativeBridge._handleResponse("))
  }

  @Test(
    "without an identifier no message is answered",
    arguments: [
      #"{"type":"request","version":2,"domain":"haptic"}"#, #"{"type":"request","version":2,"id":7,"domain":"haptic"}"#,
      #"{"type":"request","version":2,"id":null,"domain":"haptic"}"#, "{}", #"[{"version":2}]"#, "2", #""a""#, "null",
    ])
  func silence(_ text: String) async {
    #expect(await Self.answers(text) == [])
  }
}
