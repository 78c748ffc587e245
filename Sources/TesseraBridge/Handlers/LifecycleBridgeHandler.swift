/// The `lifecycle` domain: `ready`, `getConfig`, `setResult`, `dismiss`, and `startRelayListener`, which a draft of
/// the protocol names and which has no effect.
///
/// The host receives the outcome after the response was sent, since the page waits for the response and is closed
/// afterwards.
public struct LifecycleBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.lifecycle
  private let registry: SdkProviderRegistry
  private let session: LaunchSession

  /// - Parameters:
  ///   - registry: the providers, from which `getConfig` derives the capabilities.
  ///   - session: the launch of the content.
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
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound }
    switch method {
    case .ready, .startRelayListener: return nil
    case .getConfig:
      let providers = registry.providers
      let caller = request.caller
      async let hasBiometrics = registry.biometricCapability.isPresent(for: caller) {
        await providers.biometric?.isAvailable(for: caller) ?? false
      }
      async let hasCamera = registry.cameraCapability.isPresent(for: caller) {
        await providers.cameraMrz?.isAvailable() ?? false
      }
      return session.launch.configuration(
        LaunchCapabilities(
          providers, session.launch, hasBiometrics: await hasBiometrics, hasCamera: await hasCamera))
    case .setResult: session.end(LaunchOutcome(request.parameters), with: request.id)
    case .dismiss: session.end(.cancelled, with: request.id)
    }
    return nil
  }

  /// Whether the request is `lifecycle.dismiss`.
  static func isDismissal(_ request: BridgeRequest) -> Bool {
    request.domain == .lifecycle && Method(protocolName: request.method) == .dismiss
  }

  public func didAnswer(_ request: BridgeRequest) async { await session.reportOutcome(after: request.id) }
}
