/// Plays haptic feedback. Without a device the calls have no effect. Each call returns without waiting for the effect
/// to end.
public protocol HapticProvider: Sendable {
  /// Whether there is a haptic device.
  func isAvailable() async -> Bool
  func impact(_ style: HapticImpactStyle) async
  func notification(_ type: HapticNotificationType) async
  func selection() async
  /// Waits until all effects have ended. A program calls this before it exits.
  func finish() async
}

extension HapticProvider {
  public func finish() async {}

  package func play(_ word: HapticWord) async {
    switch word {
    case .impact(let style): await impact(style)
    case .notification(let type): await notification(type)
    case .selection: await selection()
    }
  }
}
