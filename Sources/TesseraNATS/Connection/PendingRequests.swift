internal import TesseraThreads

/// The requests of a connection that wait for their answers, by the last token of the subject of the answer.
final class PendingRequests: Sendable {
  private struct State {
    var next: UInt64 = 0
    var waiting: [String: @Sendable (Result<NATSMessage, NATSError>) -> Void] = [:]
  }
  private let state = Locked(State())

  /// - Parameter receive: called for each answer, and for the end of the connection.
  /// - Returns: the token.
  func add(_ receive: @escaping @Sendable (Result<NATSMessage, NATSError>) -> Void) -> String {
    state.withLock { state in
      state.next += 1
      let token = String(state.next, radix: 36)
      state.waiting[token] = receive
      return token
    }
  }

  /// How many requests wait.
  var count: Int { state.withLock { $0.waiting.count } }

  func remove(_ token: String) { state.withLock { $0.waiting[token] = nil } }

  /// Hands an answer to the request that it belongs to. A late answer is dropped.
  func receive(_ message: NATSMessage) {
    guard let token = message.subject.split(separator: ".").last else { return }
    let receive = state.withLock { $0.waiting[String(token)] }
    receive?(.success(message))
  }

  /// Ends all requests.
  func fail(_ error: NATSError) {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for receive in waiting { receive(.failure(error)) }
  }
}
