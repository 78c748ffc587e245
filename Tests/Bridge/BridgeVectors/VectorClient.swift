import Foundation
public import TesseraBridge
import TesseraThreads

/// A client of the protocol. `requestId` assigns responses to requests.
public final class VectorClient: Sendable {
  public struct NoAnswer: Error, CustomStringConvertible {
    public let description = "no response was received"
  }

  private struct State {
    var messages: [JSONValue] = []
    var waiting: [String: CheckedContinuation<JSONValue, any Error>] = [:]
    var hasEnded = false
  }
  private let connection: any VectorConnection
  private let state: Locked<State>
  private let reading: Task<Void, Never>

  public init(_ connection: any VectorConnection) {
    self.connection = connection
    let state = Locked(State())
    self.state = state
    reading = Task {
      for await text in connection.received { Self.receive(text, state) }
      let waiting = state.withLock { state in
        state.hasEnded = true
        defer { state.waiting = [:] }
        return Array(state.waiting.values)
      }
      for continuation in waiting { continuation.resume(throwing: NoAnswer()) }
    }
  }

  /// All received messages in order.
  public var messages: [JSONValue] { state.withLock { $0.messages } }

  public func close() async {
    await connection.close()
    reading.cancel()
  }

  public func send(_ text: String) async throws { try await connection.send(text) }

  /// Sends a request and waits for its response.
  @discardableResult
  public func ask(
    _ target: String, _ parameters: JSONObject = [:], id: String = UUID().uuidString
  ) async throws -> JSONValue {
    try await send(Self.request(target, parameters, id: id))
    return try await answer(to: id)
  }

  /// Returns the text of a request.
  ///
  /// - Parameter target: `domain.method`.
  public static func request(_ target: String, _ parameters: JSONObject = [:], id: String) -> String {
    let parts = target.split(separator: ".").map(String.init)
    let envelope: JSONValue = [
      "type": "request", "version": 1, "id": .string(id), "domain": .string(parts.first ?? ""),
      "method": .string(parts.last ?? ""), "params": .object(parameters),
      "timestamp": .integer(Int64(Date.now.timeIntervalSince1970 * 1000)),
    ]
    return envelope.text
  }

  /// Waits for the response to a request, unless it was already received.
  public func answer(to id: String) async throws -> JSONValue {
    let limit = Task {
      try await Task.sleep(for: .seconds(600))
      take(id)?.resume(throwing: NoAnswer())
    }
    defer { limit.cancel() }
    return try await withCheckedThrowingContinuation { continuation in
      let (answer, isOver) = state.withLock { state -> (JSONValue?, Bool) in
        if let answer = state.messages.first(where: { $0["requestId"] == .string(id) }) { return (answer, true) }
        if !state.hasEnded { state.waiting[id] = continuation }
        return (nil, state.hasEnded)
      }
      if let answer {
        continuation.resume(returning: answer)
      } else if isOver {
        continuation.resume(throwing: NoAnswer())
      }
    }
  }

  private func take(_ id: String) -> CheckedContinuation<JSONValue, any Error>? {
    state.withLock { $0.waiting.removeValue(forKey: id) }
  }

  private static func receive(_ text: String, _ state: Locked<State>) {
    let message = (try? JSONValue(text: text)) ?? .string("this is not JSON: \(text)")
    let waiting = state.withLock { state in
      state.messages.append(message)
      return message["requestId"]?.stringValue.flatMap { state.waiting.removeValue(forKey: $0) }
    }
    waiting?.resume(returning: message)
  }
}
