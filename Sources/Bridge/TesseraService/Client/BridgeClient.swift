import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix
package import TesseraBridge
import TesseraCore

/// A client of this user's service that sends one request per connection.
package struct BridgeClient: Sendable {
  /// The response of the service, if one is running.
  package enum Outcome: Sendable {
    /// No service listens at the socket.
    case noService
    case answer(Result<JSONValue, BridgeError>)
  }

  /// In bytes: longer than any valid response.
  private static let maximumAnswer = 64 << 20
  private let path: String

  package init(socketPath: String) { path = socketPath }

  /// Sends the request and waits for its response. When the task is cancelled, the connection closes, and the service
  /// cancels the request.
  ///
  /// - Parameter onEvent: receives the text and the data of each event of the request.
  /// - Throws: `Failure` of the kind `serviceUnavailable` if the connection is lost; `CancellationError`.
  package func call(
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
      // If systemd cannot start the service, it resets the connection.
      throw error is IOError || error is ChannelError ? Self.noResponse : error
    }
  }

  private static let noResponse = Failure(
    .serviceUnavailable, "The service closed the connection without a response.",
    remedy: "Read its log: journalctl --user -u tessera")

  private func call(
    _ request: BridgeRequest, _ descriptor: Int32, _ group: any EventLoopGroup,
    _ onEvent: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> Result<JSONValue, BridgeError> {
    let lines: NIOAsyncChannel<Incoming, ByteBuffer> = try await ClientBootstrap(group: group)
      .withConnectedSocket(descriptor) { channel in
        PeerUser.ofUnixSocket(channel).flatMapThrowing { user in
          guard user == getuid() else {
            throw Failure(
              .peerRejected, "The service at the socket belongs to another user.",
              remedy: "Specify the socket of a service that you run.")
          }
          try channel.pipeline.syncOperations.addHandler(
            ByteToMessageHandler(LineDecoder(longest: Self.maximumAnswer)))
          return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }
      }
    return try await lines.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: Self.text(request) + "\n"))
      for try await incoming in inbound {
        guard case .message(let line) = incoming, let message = try? JSONValue(text: line) else { continue }
        if message["requestId"] == .string(request.id) {
          guard message["success"] == true else { return .failure(ExplainedResponse.error(message)) }
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
      throw Self.noResponse
    }
  }

  private static func text(_ request: BridgeRequest) -> String {
    let message: JSONValue = [
      "type": "request", "version": .integer(BridgeRequest.protocolVersion), "id": .string(request.id),
      "domain": .string(request.domain.rawValue), "method": .string(request.method),
      "params": .object(request.parameters.values), "timestamp": .integer(Int64(Date.now.timeIntervalSince1970 * 1000)),
      ExplainedResponse.member: true,
    ]
    return message.text
  }
}
