/// A handler of the requests of one domain.
public protocol BridgeHandler: Sendable {
  /// The domain of the requests.
  var domain: BridgeDomain { get }

  /// Handles one request. The task is cancelled when the client no longer waits for the response.
  ///
  /// - Parameters:
  ///   - request: the request, with its parameters and its caller.
  ///   - emit: sends an event of this domain to the client, before the response.
  /// - Returns: the `data` of the response.
  /// - Throws: `BridgeError` for a specific code; the code of any other error is that of its failure.
  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue

  /// Runs after a successful response was sent, for example to close the window of the client.
  func didAnswer(_ request: BridgeRequest) async

  /// Releases the devices that the connection uses. Runs when content sends `lifecycle.dismiss`, before the response.
  func didDismiss(_ connection: BridgeConnection) async
}

extension BridgeHandler {
  public func didAnswer(_ request: BridgeRequest) async {}
  public func didDismiss(_ connection: BridgeConnection) async {}
}
