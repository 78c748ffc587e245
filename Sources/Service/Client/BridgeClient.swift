public import Bridge
import Failures
import Foundation
import NIOCore
import NIOPosix

/// A connection to the service of this user, for one request.
public struct BridgeClient: Sendable {
  /// Whether a service was there, and what it answered.
  public enum Outcome: Sendable {
    /// Nobody listens.
    case noService
    case answer(Result<JSONValue, BridgeError>)
  }

  /// Longer than any answer that is not an attack.
  private static let longestAnswer = 64 << 20
  private let path: String

  public init(socketPath: String) { path = socketPath }

  /// Sends the request and waits for its answer; the service cancels it when the task is cancelled.
  ///
  /// - Parameter onEvent: receives each event of the request, as text and as its data.
  /// - Throws: `Failure` where the connection is lost; `CancellationError`.
  public func call(
    _ request: BridgeRequest, onEvent: @escaping @Sendable (_ text: String, _ data: JSONValue) -> Void
  ) async throws -> Outcome {
    guard let descriptor = UnixSocket.connect(path) else { return .noService }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let outcome = try await call(request, descriptor, group, onEvent)
      try await group.shutdownGracefully()
      return .answer(outcome)
    } catch {
      try? await group.shutdownGracefully()
      // A service that systemd could not start ends the connection by a reset.
      throw error is IOError || error is ChannelError ? Self.noAnswer : error
    }
  }

  private static let noAnswer = Failure(
    .serviceUnavailable, "The service closed the connection without an answer.",
    remedy: "Its log says why: journalctl --user -u tessera")

  private func call(
    _ request: BridgeRequest, _ descriptor: Int32, _ group: any EventLoopGroup,
    _ onEvent: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> Result<JSONValue, BridgeError> {
    let lines: NIOAsyncChannel<Incoming, ByteBuffer> = try await ClientBootstrap(group: group)
      .withConnectedSocket(descriptor) { channel in
        PeerUser.ofUnixSocket(channel).flatMapThrowing { user in
          guard user == getuid() else {
            throw Failure(
              .usage, "The service at the socket is another user's.", remedy: "Give --socket PATH, or --in-process.")
          }
          try channel.pipeline.syncOperations.addHandler(
            ByteToMessageHandler(LineDecoder(longest: Self.longestAnswer)))
          return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }
      }
    return try await lines.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: Self.text(request) + "\n"))
      for try await incoming in inbound {
        guard case .message(let line) = incoming, let message = try? JSONValue(text: line) else { continue }
        if message["requestId"] == .string(request.id) {
          guard message["success"] == true else { return .failure(ExplainedAnswer.error(message)) }
          return .success(message["data"] ?? .null)
        }
        if message["type"] == "event" {
          if message["event"] == "closing", let cause = message["data"]?["message"]?.stringValue {
            throw Failure(.serviceUnavailable, "The service closed the connection: \(cause)")
          }
          onEvent(line, message["data"] ?? .null)
        }
      }
      try Task.checkCancellation()
      throw Self.noAnswer
    }
  }

  private static func text(_ request: BridgeRequest) -> String {
    let message: JSONValue = [
      "type": "request", "version": .integer(request.version), "id": .string(request.id),
      "domain": .string(request.domain.rawValue), "method": .string(request.method),
      "params": .object(request.parameters.values), "timestamp": .integer(Int64(Date.now.timeIntervalSince1970 * 1000)),
      ExplainedAnswer.member: true,
    ]
    return message.text
  }
}
