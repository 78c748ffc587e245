/// Serves one domain.
public protocol BridgeHandler: Sendable {
  var domain: BridgeDomain { get }

  /// Answers one request. Cancelling the task means that nobody waits any more.
  ///
  /// - Parameter emit: sends an event of this domain to the asker, before the answer.
  /// - Returns: the answer's `data`.
  /// - Throws: `BridgeError` for a coded failure; any other error is put into the protocol's words.
  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue

  /// Is called when a successful answer has been sent: the place for what ends the asker, such as closing its window.
  func didAnswer(_ request: BridgeRequest) async

  /// Is called when content says that it is done (`lifecycle.dismiss`), before that is answered: what this connection holds
  /// of a device is let go.
  func didLeave(_ connection: BridgeConnection) async
}

extension BridgeHandler {
  public func didAnswer(_ request: BridgeRequest) async {}
  public func didLeave(_ connection: BridgeConnection) async {}
}
