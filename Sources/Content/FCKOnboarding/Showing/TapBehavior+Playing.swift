import FCKOnboardingFlow
import TesseraBridge

extension TapBehavior.Intensity {
  /// Plays the behaviour on a rumble device, by the patterns of the bridge's words.
  func play(on haptics: any HapticProvider) async {
    switch self {
    case .light: await haptics.impact(.light)
    case .medium: await haptics.impact(.medium)
    case .heavy: await haptics.impact(.heavy)
    }
  }
}
