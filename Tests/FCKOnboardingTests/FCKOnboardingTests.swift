import Testing
import WindowTestSupport

/// Each test starts a display and processes with windows, so one runs at a time.
@Suite(
  "FCKOnboarding in a window", .serialized, .enabled(if: WindowLab.isEnabled, "\(WindowLab.unavailableReason ?? "")"))
struct FCKOnboardingTests {}
