import Testing

/// The tests that start programs, daemons, browsers or windows. They run one after another, in the lane that `Tests/run`
/// calls "programs".
@Suite(.serialized)
enum RealPrograms {}
