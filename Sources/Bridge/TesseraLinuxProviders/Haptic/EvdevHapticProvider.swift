public import TesseraBridge
public import TesseraHaptics

/// The haptic provider that uses force-feedback devices of the kernel (evdev). A call starts a pattern and returns.
public struct EvdevHapticProvider: HapticProvider {
  private let player: RumblePlayer

  public init(player: RumblePlayer = RumblePlayer()) { self.player = player }

  public func isAvailable() async -> Bool { await player.isAvailable() }

  public func impact(_ style: HapticImpactStyle) async { player.start(HapticWord.impact(style).pattern) }

  public func notification(_ type: HapticNotificationType) async { player.start(HapticWord.notification(type).pattern) }

  public func selection() async { player.start(HapticWord.selection.pattern) }

  public func finish() async { await player.finish() }
}
