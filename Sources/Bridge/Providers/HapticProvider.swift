/// Makes a device rumble. All of it is an extra: without a device nothing happens. Nothing waits for what is felt.
public protocol HapticProvider: Sendable {
  func isAvailable() async -> Bool
  func impact(_ style: HapticImpactStyle) async
  func notification(_ type: HapticNotificationType) async
  func selection() async
  /// Waits until what was begun has been felt: for a program that ends after its call.
  func finish() async
}

extension HapticProvider {
  public func finish() async {}
}

/// Something touched something.
public enum HapticImpactStyle: String, Sendable, CaseIterable {
  case light, medium, heavy, rigid, soft
}

/// How something ended.
public enum HapticNotificationType: String, Sendable, CaseIterable {
  case success, warning, error
}
