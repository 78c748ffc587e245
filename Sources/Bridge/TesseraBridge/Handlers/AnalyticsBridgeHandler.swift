extension BridgeDomain {
  public static let analytics = BridgeDomain(
    "analytics", AnalyticsEvent.Kind.self, wish: nil)
}

/// The `analytics` domain: `trackEvent`, `trackNfcEvent`, `logNfcEvent`. The response is null for any parameters.
/// Events are discarded if no provider is registered.
public struct AnalyticsBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.analytics
  private let registry: SdkProviderRegistry

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let kind = AnalyticsEvent.Kind(protocolName: request.method) else {
      throw BridgeError.methodNotFound(request)
    }
    guard let provider = registry.providers.analytics else { return nil }
    await provider.record(AnalyticsEvent(kind, request.parameters))
    return nil
  }
}
