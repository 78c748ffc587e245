import Foundation
import TesseraBridge
import Testing

@Suite("Encoding of messages")
struct MessageEncodingTests {
  @Test("the encoded bytes contain every field in the order of the protocol, then the additions")
  func fields() throws {
    let error = BridgeError("NOT_ALLOWED", "No \"grant\".\n", details: ["a": 1])
    let failed = BridgeMessage.response(to: "7\u{0}", domain: .nfc, .failure(error))
    let bytes = failed.encoded(adding: [("failure", ["kind": "usage"])])
    #expect(!bytes.contains(UInt8(ascii: "\n")))
    guard case .object(let object) = try JSONValue(text: String(decoding: bytes, as: UTF8.self)) else {
      Issue.record("not an object")
      return
    }
    #expect(
      object.names == [
        "version", "id", "timestamp", "type", "domain", "requestId", "success", "data", "error", "failure",
      ])
    #expect(object["requestId"] == "7\u{0}" && object["success"] == false && object["data"] == .null)
    #expect(object["error"] == ["code": "NOT_ALLOWED", "message": "No \"grant\".\n", "details": ["a": 1]])
    #expect(object["failure"] == ["kind": "usage"])
    let event = try JSONValue(text: BridgeMessage.event(domain: .nfc, name: "progress", data: [1, 2]).text)
    #expect(event["event"] == "progress" && event["data"] == [1, 2] && event["requestId"] == nil)
  }

  @Test("a successful answer has the same fields as JSON value and as text")
  func success() throws {
    let answer = BridgeMessage.response(to: "1", domain: .crypto, .success(.null))
    for message in [answer.json, try JSONValue(text: answer.text)] {
      #expect(message["success"] == true && message["data"] == .null && message["error"] == .null)
    }
  }

  @Test("identifiers are distinct UUIDs of version 4, also across threads")
  func identifiers() async throws {
    let all = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<4 {
        group.addTask {
          (0..<5_000).compactMap { _ in
            BridgeMessage.event(domain: .nfc, name: "e", data: nil).json["id"]?.stringValue
          }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(all).count == 20_000)
    let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
    #expect(try all.allSatisfy { try form.wholeMatch(in: $0) != nil })
  }
}
