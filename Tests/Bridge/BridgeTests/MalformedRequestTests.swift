import TesseraThreads
import Testing

@testable import TesseraBridge

@Suite("Malformed requests")
struct MalformedRequestTests {
  private static let members = [
    "type": #""request""#, "version": "1", "id": #""a""#, "domain": #""haptic""#, "method": #""trigger""#,
    "params": "{}",
    "timestamp": "1767225600000",
  ]

  /// - Parameter changes: by the name of a member, its JSON text; nil to leave it out.
  private static func text(_ changes: [String: String?]) -> String {
    let all = members.merging(changes.compactMapValues { $0 }) { $1 }
    let kept = all.filter { changes[$0.key] != .some(nil) }
    return "{" + kept.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  private static func answers(_ text: String) async -> [JSONValue] {
    let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: SdkProviderRegistry()))
    let answers = Locked<[JSONValue]>([])
    await router.route(text, from: .local) { message in answers.withLock { $0.append(message.json) } }
    return answers.withLock { $0 }
  }

  private static let wrong = ["null", "true", "7", #""x""#, "[]", "{}"]

  @Test("each member that is missing or wrong is named, once, in the domain that the client waits for")
  func members() async throws {
    var count = 0
    for (member, right) in [
      ("type", [#""request""#]), ("domain", []), ("method", [#""x""#]), ("params", ["{}"]), ("timestamp", ["7"]),
    ] as [(String, [String])] {
      let isOptional = member == "type"
      for value in Self.wrong.map(Optional.some) + (isOptional ? [] : [nil]) where !right.contains(value ?? "") {
        let answers = await Self.answers(Self.text([member: value]))
        let answer = try #require(answers.first, "\(member): \(value ?? "missing")")
        #expect(answers.count == 1)
        #expect(answer["requestId"] == "a" && answer["success"] == false && answer["data"] == .null)
        #expect(answer["error"]?["code"] == "MALFORMED_REQUEST")
        #expect(answer["error"]?["details"] == ["member": .string(member)], "\(value ?? "missing")")
        let message = try #require(answer["error"]?["message"]?.stringValue)
        #expect(
          message.contains("\"\(member)\"") && message.hasPrefix(value == nil ? "The request has no" : "The member"))
        let domain = member == "domain" ? (value == #""x""# ? "x" : "lifecycle") : "haptic"
        #expect(answer["domain"]?.stringValue == domain)
        count += 1
      }
    }
    #expect(count == 6 + 7 + 6 + 6 + 6)
  }

  @Test("a message of another version that no domain could be named for is malformed, too")
  func versions() async {
    let long = String(repeating: "a", count: 65)
    for domain in [nil, "7", #""ä""#, #""\#(long)""#] {
      let answers = await Self.answers(Self.text(["version": "2", "domain": domain]))
      #expect(answers.map { $0["error"]?["details"]?["member"] } == ["domain"], "\(domain ?? "missing")")
      #expect(answers.map { $0["domain"] } == ["lifecycle"])
    }
    let event = await Self.answers(Self.text(["version": "2", "type": #""event""#]))
    #expect(event.map { $0["error"]?["details"]?["member"] } == ["type"])
  }
}
