public import TesseraBridge
public import TesseraHaptics

/// The haptic provider that uses force-feedback devices of the kernel (evdev). A call starts a pattern and returns.
public struct EvdevHapticProvider: HapticProvider {
  private let player: RumblePlayer

  public init(player: RumblePlayer = RumblePlayer()) { self.player = player }

  public func isAvailable() async -> Bool { await player.isAvailable() }

  public func impact(_ style: HapticImpactStyle) async {
    let word: HapticWord.Impact =
      switch style {
      case .light: .light
      case .medium: .medium
      case .heavy: .heavy
      case .rigid: .rigid
      case .soft: .soft
      }
    player.start(HapticWord.impact(word).pattern)
  }

  public func notification(_ type: HapticNotificationType) async {
    let word: HapticWord.Notification =
      switch type {
      case .success: .success
      case .warning: .warning
      case .error: .error
      }
    player.start(HapticWord.notification(word).pattern)
  }

  public func selection() async { player.start(HapticWord.selection.pattern) }

  public func finish() async { await player.finish() }
}
