import BridgeVectors
import TesseraBridge
import TesseraThreads
import TestSupport

/// Answers with the parameters of the request.
struct EchoHandler: BridgeHandler {
  let domain: BridgeDomain

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    .object(request.parameters.values)
  }
}

/// Waits until its request is cancelled, and counts the requests and cancellations.
final class WaitingHandler: BridgeHandler {
  let domain: BridgeDomain
  let begun = Locked(0)
  let cancelled = Locked(0)

  init(_ domain: BridgeDomain = .camera) { self.domain = domain }

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    begun.withLock { $0 += 1 }
    do {
      try await untilCancelled()
    } catch {
      cancelled.withLock { $0 += 1 }
      throw error
    }
    return nil
  }
}

/// Answers with a string of this length.
struct LargeHandler: BridgeHandler {
  let domain = BridgeDomain.documents
  let bytes: Int

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    .string(String(repeating: "x", count: bytes))
  }
}

/// Answers with a list of this many strings.
struct ListHandler: BridgeHandler {
  let domain = BridgeDomain.documents
  let count: Int

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    .array((0..<count).map { .string("\($0)") })
  }
}

extension MessageRouter {
  /// A router that echoes requests in two domains.
  static let echo = MessageRouter(handlers: [EchoHandler(domain: .analytics), EchoHandler(domain: .secureStorage)])
}

extension JSONValue {
  /// Parses the lines of a connection as messages.
  static func lines(_ text: String) -> [JSONValue] {
    text.split(separator: "\n").compactMap { try? JSONValue(text: $0) }
  }

  var errorCode: String? { self["error"]?["code"]?.stringValue }
}
