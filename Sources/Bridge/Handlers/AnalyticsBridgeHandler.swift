/// The `analytics` domain: `trackEvent`, `trackNfcEvent`, `logNfcEvent`. Everything is answered with null, whatever is in
/// it, since no client waits for the answer; without a provider it is forgotten.
public struct AnalyticsBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.analytics
  private let registry: SdkProviderRegistry

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let kind = AnalyticsEvent.Kind(word: request.method) else { throw BridgeError.methodNotFound }
    guard let provider = registry.providers.analytics else { return nil }
    await provider.record(AnalyticsEvent(kind, request.parameters))
    return nil
  }
}
