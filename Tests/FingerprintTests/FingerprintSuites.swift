import Testing

/// All tests with the services of a fingerprint reader. They run one after another: each counts threads of the process.
@Suite(.serialized, .enabled(if: FingerprintLab.isEnabled, "\(FingerprintLab.unavailableReason ?? "")"))
enum Fingerprints {}
