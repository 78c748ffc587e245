/// The `haptic` domain: `impact`, `notification`, `selection`, and `trigger`, which accepts all types of the
/// others and without one is `selection`. Each responds with null at once, with or without a device. `isAvailable` reports whether there is a device.
public struct HapticBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.haptic
  private let registry: SdkProviderRegistry

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  enum Method: String, CaseIterable {
    case trigger, impact, notification, selection, isAvailable
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound }
    let provider = registry.providers.haptic
    switch method {
    case .isAvailable: return .bool(await provider?.isAvailable() ?? false)
    case .trigger:
      await provider?.play(request.parameters.lenientText("type").map(HapticFeedback.init(trigger:)) ?? .selection)
    case .impact: await provider?.play(HapticFeedback(impact: request.parameters.lenientText("style") ?? ""))
    case .notification:
      await provider?.play(HapticFeedback(notification: request.parameters.lenientText("type") ?? ""))
    case .selection: await provider?.play(.selection)
    }
    return nil
  }
}

extension HapticProvider {
  fileprivate func play(_ feedback: HapticFeedback) async {
    switch feedback {
    case .impact(let style): await impact(style)
    case .notification(let type): await notification(type)
    case .selection: await selection()
    }
  }
}

extension BridgeParameters {
  /// Accepts any value: an object or array counts as absent.
  fileprivate func lenientText(_ key: String) -> String? { try? string(key) }
}
