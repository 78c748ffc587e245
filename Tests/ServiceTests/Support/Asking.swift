import Bridge
import BridgeVectors
import Failures
import Foundation

/// A client that sends one request after the other and reads by looking at all that has come.
protocol Asking {
  func post(_ text: String)
  /// All messages that have come.
  var messages: [JSONValue] { get }
  var connection: RawConnection { get }
}

extension Asking {
  /// - Throws: `Failure` where no answer comes.
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

extension RawConnection: Asking {
  func post(_ text: String) { send(text + "\n") }
  var messages: [JSONValue] { lines.items(of: self) }
  var connection: RawConnection { self }
}

extension WebSocketClient: Asking {
  func post(_ text: String) { send(text) }
}
