/// The `lifecycle` domain: `ready`, `getConfig`, `setResult`, `dismiss`, and `startRelayListener`, which a draft names
/// and nobody does anything for.
///
/// The host hears of a result when the page has its answer, since the page waits for it and is closed afterwards.
public struct LifecycleBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.lifecycle
  private let registry: SdkProviderRegistry
  private let session: LaunchSession

  /// - Parameters:
  ///   - registry: tells what the page can do here.
  ///   - session: the one launch that this handler's page belongs to.
  public init(registry: SdkProviderRegistry, session: LaunchSession = LaunchSession()) {
    self.registry = registry
    self.session = session
  }

  enum Method: String, CaseIterable {
    case ready, getConfig, setResult, dismiss, startRelayListener
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(word: request.method) else { throw BridgeError.methodNotFound }
    switch method {
    case .ready, .startRelayListener: return nil
    case .getConfig:
      // Asks no device: the page waits for this at its start, and not for long.
      return session.launch.configuration(LaunchCapabilities(registry.providers, session.launch))
    case .setResult: session.end(LaunchOutcome(request.parameters), by: request.id)
    case .dismiss: session.end(.cancelled, by: request.id)
    }
    return nil
  }

  /// Whether the content says by this that it is done.
  static func isDismissal(_ request: BridgeRequest) -> Bool {
    request.domain == .lifecycle && Method(word: request.method) == .dismiss
  }

  public func didAnswer(_ request: BridgeRequest) async { await session.tellHost(of: request.id) }
}
