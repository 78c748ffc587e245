/// Takes messages in, finds the handler of their domain, and gives exactly one answer to every request that can be
/// answered at all.
///
/// Every asker (a page, a connection, the command line) has a router call of its own; answers to concurrent
/// requests may come in any order and are told apart by `requestId`.
public struct MessageRouter: Sendable {
  private let handlers: [BridgeDomain: any BridgeHandler]

  public init(handlers: [any BridgeHandler]) {
    self.handlers = Dictionary(handlers.map { ($0.domain, $0) }) { _, last in last }
  }

  /// Answers one message.
  ///
  /// - Parameters:
  ///   - isTrusted: whether the source may use the bridge; messages from others are dropped.
  ///   - caller: who asks.
  ///   - send: receives the events of this request in order, then its answer.
  public func route(
    _ text: some StringProtocol, isTrusted: Bool = true, from caller: BridgeCaller = .local,
    send: @escaping @Sendable (BridgeMessage) -> Void
  ) async {
    guard isTrusted, let request = BridgeRequest(text: text, caller: caller) else { return }
    await route(request, send: send)
  }

  /// The same for a request that never was text.
  public func route(_ request: BridgeRequest, send: @escaping @Sendable (BridgeMessage) -> Void) async {
    let outcome: Result<JSONValue, BridgeError>
    do {
      outcome = .success(try await answer(request, send))
    } catch {
      outcome = .failure(BridgeError(error))
    }
    send(.response(to: request.id, domain: request.domain, outcome))
  }

  private func answer(
    _ request: BridgeRequest, _ send: @escaping @Sendable (BridgeMessage) -> Void
  ) async throws -> JSONValue {
    guard request.version == BridgeRequest.protocolVersion else {
      throw BridgeError("UNSUPPORTED_VERSION", "Only version \(BridgeRequest.protocolVersion) is spoken here.")
    }
    guard let handler = handlers[request.domain] else {
      throw BridgeError("DOMAIN_NOT_FOUND", "The domain \"\(request.domain.rawValue)\" is not served here.")
    }
    return try await handler.handle(request) { name, data in
      send(.event(domain: request.domain, name: name, data: data))
    }
  }
}
