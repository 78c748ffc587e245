import Testing
import WindowTestSupport

/// The tests of the window. One after the other: each runs several processes of WebKit.
@Suite(
  .serialized,
  .enabled(if: WindowLab.isEnabled, "no lab with windows: \(WindowLab.unavailableReason ?? "")"))
struct WindowTests {}
