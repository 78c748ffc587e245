import Testing

/// The tests that start programs, daemons, browsers or windows. They run one after another, in the lane that `Tests/run`
/// calls "programs".
/// A test that waits for what does not come ends at the time limit.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(if: FingerprintLab.isEnabled, "\(FingerprintLab.unavailableReason ?? "")")
)
enum RealPrograms {
  /// Those that need root.
  @Suite enum AsRoot {}
}
