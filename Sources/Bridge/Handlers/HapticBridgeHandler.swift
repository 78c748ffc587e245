/// The `haptic` domain: `impact`, `notification`, `selection`, and `trigger`, which takes any of their words; each
/// answers null at once, whether there is a device or not. `isAvailable` tells.
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
    guard let method = Method(word: request.method) else { throw BridgeError.methodNotFound }
    let provider = registry.providers.haptic
    switch method {
    case .isAvailable: return .bool(await provider?.isAvailable() ?? false)
    case .trigger: await provider?.play(HapticFeedback(trigger: request.parameters.word("type")))
    case .impact: await provider?.play(HapticFeedback(impact: request.parameters.word("style")))
    case .notification: await provider?.play(HapticFeedback(notification: request.parameters.word("type")))
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
  /// Content may send anything here, and is never refused for it: what is no plain value counts as absent.
  fileprivate func word(_ key: String) -> String { (try? string(key)) ?? "" }
}
