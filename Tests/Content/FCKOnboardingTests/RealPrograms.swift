import Testing
import WindowTestSupport

/// The tests that start programs, daemons, browsers or windows. They run one after another, in the lane that `Tests/run`
/// calls "programs".
@Suite(
  "FCKOnboarding in a window", .serialized, .enabled(if: WindowLab.isEnabled, "\(WindowLab.unavailableReason ?? "")"))
enum RealPrograms {}
