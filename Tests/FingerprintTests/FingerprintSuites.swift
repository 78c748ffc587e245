import Testing

/// All tests with the services of a fingerprint reader. They run one after another: each counts threads of the process.
/// A test that waits for what does not come ends at the time limit.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(if: FingerprintLab.isEnabled, "\(FingerprintLab.unavailableReason ?? "")")
)
enum Fingerprints {}
