import TesseraNATS
import TesseraThreads

/// The messages that a handler got.
final class MessageLog: Sendable {
  private let state = Locked<[NATSMessage]>([])

  var messages: [NATSMessage] { state.withLock { $0 } }
  var texts: [String] { messages.map { String(decoding: $0.payload, as: UTF8.self) } }
  var count: Int { state.withLock { $0.count } }

  func add(_ message: NATSMessage) { state.withLock { $0.append(message) } }
}

extension NATSMessage {
  init(_ subject: String, _ text: String, headers: NATSHeaders = []) {
    self.init(subject: subject, headers: headers, payload: Array(text.utf8))
  }

  var text: String { String(decoding: payload, as: UTF8.self) }
}

extension NATSConnection {
  /// Answers each request on a subject with its own payload.
  func echo(_ subject: String) async throws -> NATSSubscription {
    let subscription = try subscribe(subject, pendingLimit: 1 << 16) { [weak self] message in
      try? self?.respond(to: message, message.payload)
    }
    try await flush(within: .seconds(60))
    return subscription
  }
}
