import BridgeVectors
import Foundation
import TesseraBridge
import TesseraCore

/// A client that sends requests and polls all received messages.
protocol TestClient {
  func post(_ text: String)
  /// All received messages.
  var messages: [JSONValue] { get }
  var connection: RawConnection { get }
}

extension TestClient {
  /// Sends a request and waits for its answer.
  ///
  /// - Throws: `Failure` if no answer is received.
  @discardableResult
  func ask(_ target: String, _ parameters: JSONObject = [:]) async throws -> JSONValue {
    let id = UUID().uuidString
    post(VectorClient.request(target, parameters, id: id))
    guard let answer = await answer(to: id) else { throw Failure(.cardLost, "no answer to \(target)") }
    return answer
  }

  func answer(to id: String, within seconds: Double = 120) async -> JSONValue? {
    var answer: JSONValue?
    await connection.wait(within: seconds) { connection in
      answer = messages.first { $0["requestId"]?.stringValue == id }
      return answer != nil || !connection.isOpen
    }
    return answer ?? messages.first { $0["requestId"]?.stringValue == id }
  }
}

extension RawConnection: TestClient {
  func post(_ text: String) { send(text + "\n") }
  var messages: [JSONValue] { lines.items(of: self) }
  var connection: RawConnection { self }
}

extension WebSocketClient: TestClient {
  func post(_ text: String) { send(text) }
}
