extension BridgeDomain {
  public static let lifecycle = BridgeDomain(
    "lifecycle", LifecycleBridgeHandler.Method.self, wish: nil)
}

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
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound(request) }
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
      // A service of readers may start only now. Without an answer in time the page may try: it ends the launch at once
      // if it learns that there is no reader.
      async let hasReader = registry.readerCapability.isPresent(for: caller, ifUnknown: providers.nfc != nil) {
        await providers.nfc?.isAvailable() ?? false
      }
      return session.launch.configuration(
        LaunchCapabilities(
          providers, session.launch, hasReader: await hasReader, hasBiometrics: await hasBiometrics,
          hasCamera: await hasCamera))
    case .setResult: session.end(LaunchOutcome(request.parameters), with: request.id)
    case .dismiss: session.end(.cancelled, with: request.id)
    }
    return nil
  }

  /// Whether the request is `lifecycle.dismiss`.
  static func isDismissal(_ request: BridgeRequest) -> Bool {
    request.domain == .lifecycle && Method(protocolName: request.method) == .dismiss
  }

  /// Whether the request is `lifecycle.ready`.
  package static func isReady(_ request: BridgeRequest) -> Bool {
    request.domain == .lifecycle && Method(protocolName: request.method) == .ready
  }

  public func didAnswer(_ request: BridgeRequest) async { await session.reportOutcome(after: request.id) }
}
