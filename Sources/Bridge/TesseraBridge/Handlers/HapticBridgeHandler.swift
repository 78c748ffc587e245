extension BridgeDomain {
  public static let haptic = BridgeDomain(
    "haptic", HapticBridgeHandler.Method.self, wish: "wants to make your controller rumble.")
}

/// The `haptic` domain: `impact`, `notification`, `selection`, and `trigger`, which accepts all types of the others and
/// without one is `selection`. Each responds with null at once, with or without a device. `isAvailable` reports whether
/// there is a device.
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
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound(request) }
    let provider = registry.providers.haptic
    switch method {
    case .isAvailable: return .bool(await provider?.isAvailable() ?? false)
    case .trigger:
      await provider?.play(request.parameters.lenientText("type").map(HapticWord.init(trigger:)) ?? .selection)
    case .impact: await provider?.play(HapticWord(impact: request.parameters.lenientText("style") ?? ""))
    case .notification:
      await provider?.play(HapticWord(notification: request.parameters.lenientText("type") ?? ""))
    case .selection: await provider?.play(.selection)
    }
    return nil
  }
}

extension BridgeParameters {
  /// Accepts any value: an object or array counts as absent.
  fileprivate func lenientText(_ key: String) -> String? { try? string(key) }
}

/// The effect that a request asks for. Clients use different spellings (`light`, `impactLight`, `IMPACT_LIGHT`), and some
/// send types that no native side knows.
extension HapticWord {
  /// Accepts any type; an unknown one is a medium impact.
  init(trigger text: String) {
    let word = Self.letters(text)
    if word.hasPrefix("selection") {
      self = .selection
    } else if let rest = Self.rest(of: word, after: "notification") {
      self.init(notification: rest)
    } else if let rest = Self.rest(of: word, after: "impact") {
      self.init(impact: rest)
    } else if let type = HapticNotificationType(rawValue: word) {
      self = .notification(type)
    } else {
      self.init(impact: word)
    }
  }

  /// Accepts any style; an unknown one is medium.
  init(impact text: String) {
    let word = Self.letters(text)
    let style = HapticImpactStyle(rawValue: Self.rest(of: word, after: "impact") ?? word)
    self = .impact(style ?? .medium)
  }

  /// Accepts any type; an unknown one is success.
  init(notification text: String) {
    let word = Self.letters(text)
    let type = HapticNotificationType(rawValue: Self.rest(of: word, after: "notification") ?? word)
    self = .notification(type ?? .success)
  }

  /// The ASCII letters in lower case, so that `IMPACT_LIGHT` equals `impactLight`. No known type exceeds 64 bytes.
  private static func letters(_ text: String) -> String {
    let letters = text.utf8.prefix(64).map { $0 | 0x20 }.filter { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    return String(decoding: letters, as: UTF8.self)
  }

  private static func rest(of word: String, after prefix: String) -> String? {
    word.hasPrefix(prefix) ? String(word.dropFirst(prefix.count)) : nil
  }
}
