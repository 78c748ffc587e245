import Testing
import WindowTestSupport

/// The tests that start programs, daemons, browsers or windows. They run one after another, in the lane that `Tests/run`
/// calls "programs".
@Suite(
  .serialized,
  .enabled(if: WindowLab.isEnabled, "no lab with windows: \(WindowLab.unavailableReason ?? "")"))
enum RealPrograms {}
