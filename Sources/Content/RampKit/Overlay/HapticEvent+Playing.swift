import RampKitFlow
import TesseraBridge

extension HapticEvent {
  /// Plays the event on a rumble device, by the patterns of the bridge's words.
  func play(on haptics: any HapticProvider) async {
    switch self {
    case .impact(let style): await haptics.impact(style)
    case .notification(let type): await haptics.notification(type)
    case .selection: await haptics.selection()
    }
  }
}
