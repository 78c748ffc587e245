import Testing
import WindowTestSupport

extension RealPrograms {
  /// Each test starts a display and processes of WebKit, so one runs at a time.
  @Suite(
    "Passage in its process", .serialized, .enabled(if: WindowLab.isEnabled, "\(WindowLab.unavailableReason ?? "")"))
  struct PassageTests {}
}
