import Tessera

/// What `tessera setup` did, and what it found afterwards.
struct SetupReport: Sendable {
  enum Outcome: String, Sendable {
    case done
    case failed
    /// The person said no.
    case declined
    /// It needs packages that were not installed.
    case skipped
    case interrupted
  }

  struct Result: Sendable {
    var step: SetupStep
    var command: String
    var outcome: Outcome
    /// The exit status of the command; nil if it did not run.
    var status: Int32?
  }

  /// Those of the last diagnosis.
  var findings: [Finding]
  var results: [Result] = []
  var isInterrupted = false

  init(findings: [Finding]) { self.findings = findings }

  var problems: [Finding] { findings.filter { $0.status == .problem } }

  /// What remains for the person to do after the steps that were done.
  var afterwards: [String] {
    var sentences: [String] = []
    for result in results where result.outcome == .done {
      for sentence in result.step.afterwards where !sentences.contains(sentence) { sentences.append(sentence) }
    }
    return sentences
  }

  /// Whether everything that was agreed to was done, and no problem is left.
  var isSuccess: Bool {
    !isInterrupted && problems.isEmpty && !results.contains { $0.outcome == .failed || $0.outcome == .skipped }
  }
}
