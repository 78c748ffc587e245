import Testing
import WindowTestSupport

extension RealPrograms {
  /// Each test starts a display and processes of WebKit, so one runs at a time.
  @Suite(
    "RampKit in a window", .serialized, .enabled(if: WindowLab.isEnabled, "\(WindowLab.unavailableReason ?? "")"))
  struct RampKitTests {}
}
