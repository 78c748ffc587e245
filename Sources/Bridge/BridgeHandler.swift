/// Serves one domain.
public protocol BridgeHandler: Sendable {
  var domain: BridgeDomain { get }

  /// Answers one request.
  ///
  /// - Parameter emit: sends an event of this domain to the asker, before the answer.
  /// - Returns: the answer's `data`.
  /// - Throws: `BridgeError` for a coded failure; any other error is put into the protocol's words.
  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue
}
