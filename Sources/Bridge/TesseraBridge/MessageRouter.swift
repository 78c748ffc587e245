import TesseraCore

/// Routes messages to the handlers of their domains and sends exactly one response to each request.
///
/// Responses to concurrent requests may arrive in any order; `requestId` identifies them.
public struct MessageRouter: Sendable {
  private let handlers: [BridgeDomain: any BridgeHandler]
  /// The known domains by their names: those of the published protocol, and those of the handlers. Requests of any other
  /// domain are malformed.
  let answered: [String: BridgeDomain]

  public init(handlers: [any BridgeHandler]) {
    self.handlers = Dictionary(handlers.map { ($0.domain, $0) }) { _, last in last }
    answered = BridgeDomain.byName(BridgeDomain.published + self.handlers.keys)
  }

  /// The handlers of all domains except `custody`.
  ///
  /// - Parameters:
  ///   - registry: the providers, which the handlers look up at every request.
  ///   - session: the launch of the content, if a program launched it.
  ///   - navigation: the navigation of a program with windows.
  ///   - scanTimeLimit: the longest time that an NFC scan may take; nil for no limit.
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

  /// Whether the domain has a handler.
  package func serves(_ domain: BridgeDomain) -> Bool { handlers[domain] != nil }

  /// Returns this router with one handler replaced or added, for example the lifecycle handler of one window.
  public func serving(_ handler: any BridgeHandler) -> MessageRouter {
    MessageRouter(handlers: handlers.values + [handler])
  }

  /// Returns this router with the handlers of these domains only.
  package func limited(to domains: Set<BridgeDomain>) -> MessageRouter {
    MessageRouter(handlers: handlers.values.filter { domains.contains($0.domain) })
  }

  /// The identifier and domain of a request that cannot be parsed; nil if it is dropped without a response.
  package func head(of beginning: some Collection<UInt8>) -> BridgeRequestHead? {
    BridgeRequestHead(beginning, of: answered)
  }

  /// Handles one message. What is not a request gets an error response if it has an `id`, and none otherwise. Cancelling
  /// the task ends a scan or a prompt of this request.
  ///
  /// - Parameters:
  ///   - text: one JSON text.
  ///   - isTrusted: whether the source may use the bridge; messages of other sources are dropped.
  ///   - caller: who sent the message. For a page its origin (`WebOrigin`) at that moment: `.local` is the user, whose
  ///     keys sign without a question.
  ///   - connection: the connection of the message, if the router has several.
  ///   - send: receives the events of this request in order, then its response.
  public func route(
    _ text: some StringProtocol, isTrusted: Bool = true, from caller: Caller,
    over connection: BridgeConnection = .only, send: @escaping @Sendable (BridgeMessage) -> Void
  ) async {
    guard isTrusted else { return }
    do {
      let message = try JSONValue(text: text)
      switch read(message, from: caller, over: connection) {
      case .request(let request): await route(request, send: send)
      case .otherVersion(let mismatch): mismatch.response.map(send)
      case .malformed(let malformed): send(malformed.response)
      case .dropped: return
      }
    } catch let unread {
      guard let error = BridgeError(unread), let head = head(of: text.utf8) else { return }
      send(.response(to: head.id, domain: head.domain, .failure(error)))
    }
  }

  /// Handles one request that is already parsed.
  public func route(_ request: BridgeRequest, send: @escaping @Sendable (BridgeMessage) -> Void) async {
    guard answered[request.domain.rawValue] != nil else { return }
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
    guard let handler = handlers[request.domain] else {
      throw BridgeError("DOMAIN_NOT_FOUND", "The domain \"\(request.domain.rawValue)\" has no handler.")
    }
    let data = try await handler.handle(request) { name, data in
      send(.event(domain: request.domain, name: name, data: data))
    }
    if LifecycleBridgeHandler.isDismissal(request) {
      for handler in handlers.values { await handler.didDismiss(request.connection) }
    }
    return data
  }
}

extension BridgeDomain {
  /// The domains of the published protocol. Each of their requests gets a response, also without a handler, and grants and
  /// programs know their names.
  public static let published: [BridgeDomain] = [
    .nfc, .biometrics, .secureStorage, .camera, .crypto, .haptic, .analytics, .lifecycle, .documents, .navigation,
    .custody,
  ]
}
