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

  /// A handler for every domain of the protocol but `custody`.
  ///
  /// - Parameters:
  ///   - registry: where they look for their providers, at every call.
  ///   - session: the launch of the content, where a program has launched some.
  ///   - navigation: the screens of a program that has windows.
  ///   - scanTimeLimit: how long a scan may take; nil where the asker waits for ever.
  public static func standardHandlers(
    registry: SdkProviderRegistry, session: LaunchSession = LaunchSession(), navigation: (any NavigationHost)? = nil,
    scanTimeLimit: Duration? = NfcBridgeHandler.timeLimit
  ) -> [any BridgeHandler] {
    [
      NfcBridgeHandler(registry: registry, timeLimit: scanTimeLimit), BiometricBridgeHandler(registry: registry),
      SecureStorageBridgeHandler(registry: registry), CameraMrzBridgeHandler(registry: registry),
      CryptoBridgeHandler(registry: registry), HapticBridgeHandler(registry: registry),
      AnalyticsBridgeHandler(registry: registry), LifecycleBridgeHandler(registry: registry, session: session),
      DocumentsBridgeHandler(registry: registry), NavigationBridgeHandler(host: navigation),
    ]
  }

  /// This router with one handler exchanged or added: a window has a launch of its own and shares all else.
  public func serving(_ handler: any BridgeHandler) -> MessageRouter {
    MessageRouter(handlers: handlers.values + [handler])
  }

  /// The domains that have a handler.
  public var domains: Set<BridgeDomain> { Set(handlers.keys) }

  /// Answers one message; one that cannot be read is answered, too, where it is JSON and has an identifier. Cancelling the task ends a scan or a question that is under way.
  ///
  /// - Parameters:
  ///   - isTrusted: whether the source may use the bridge; messages from others are dropped.
  ///   - caller: who asks.
  ///   - connection: where it came from, if the asker is not the only one.
  ///   - send: receives the events of this request in order, then its answer.
  public func route(
    _ text: some StringProtocol, isTrusted: Bool = true, from caller: BridgeCaller = .local,
    over connection: BridgeConnection = .only, send: @escaping @Sendable (BridgeMessage) -> Void
  ) async {
    guard isTrusted else { return }
    do {
      let message = try JSONValue(text: text)
      guard let request = BridgeRequest(message: message, caller: caller, connection: connection) else { return }
      await route(request, send: send)
    } catch let unread {
      guard let error = BridgeError(unread), let head = BridgeRequestHead(text.utf8) else { return }
      send(.response(to: head.id, domain: head.domain, .failure(error)))
    }
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
    if case .success = outcome { await handlers[request.domain]?.didAnswer(request) }
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
    let data = try await handler.handle(request) { name, data in
      send(.event(domain: request.domain, name: name, data: data))
    }
    if LifecycleBridgeHandler.isDismissal(request) {
      for handler in handlers.values { await handler.didLeave(request.connection) }
    }
    return data
  }
}
