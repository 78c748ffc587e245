import Tessera
import TesseraCommandLine

/// Carries out what the doctor proposes, step by step. What touches the machine is a closure, which tests replace.
struct SetupRun: Sendable {
  /// How a command ended.
  struct End: Sendable {
    /// The exit status, or 128 and the number of a signal.
    var status: Int32
    /// Whether the user has stopped it.
    var isInterrupted: Bool
  }

  var elevation = RootCommand.setupElevation
  /// Whether the steps run without questions. Optional ones then do not run: nobody has asked for them.
  var isUnattended: Bool
  var diagnose: @Sendable () async throws -> [Finding]
  /// Shows a step; the last argument is its command.
  var show: @Sendable (SetupStep, String) throws -> Void
  var ask: @Sendable () async throws -> Bool
  var perform: @Sendable (String) async throws -> End

  /// An installation can reveal the next finding: a daemon that is there now, and does not run. A machine that shows
  /// ever new ones must not keep the user forever.
  private static let rounds = 3

  /// - Throws: what the closures throw, except `CancellationError`: an interruption ends the run, and the report says
  ///   what was done until then.
  func run(from findings: [Finding]) async throws -> SetupReport {
    var report = SetupReport(findings: findings)
    do {
      for _ in 0..<Self.rounds {
        let steps = remaining(report)
        guard !steps.isEmpty else { break }
        let count = report.results.count
        try await carryOut(steps, &report)
        guard report.results[count...].contains(where: { $0.outcome == .done || $0.outcome == .failed }) else { break }
        report.findings = try await diagnose()
      }
    } catch is CancellationError {
      report.isInterrupted = true
    }
    return report
  }

  /// The steps of the findings that were not dealt with yet.
  func remaining(_ report: SetupReport) -> [SetupStep] {
    let earlier = report.results.map(\.step)
    let packages = Set(earlier.flatMap(\.packages))
    return SetupPlan(report.findings).steps.filter { step in
      if isUnattended, step.isOptional { return false }
      if step.packages.isEmpty { return !earlier.contains { $0.action == step.action } }
      return !step.packages.allSatisfy(packages.contains)
    }
  }

  private func carryOut(_ steps: [SetupStep], _ report: inout SetupReport) async throws {
    // Also those of earlier rounds, which are not tried again.
    var arePackagesMissing = report.results.contains {
      !$0.step.packages.isEmpty && !$0.step.isOptional && $0.outcome != .done
    }
    for step in steps {
      let line = line(of: step, report)
      if step.needsPackages, arePackagesMissing {
        report.results.append(SetupReport.Result(step: step, command: line, outcome: .skipped))
        continue
      }
      let result = try await carryOut(step, line)
      report.results.append(result)
      if result.outcome == .interrupted { throw CancellationError() }
      if !step.packages.isEmpty, !step.isOptional, result.outcome != .done { arePackagesMissing = true }
    }
  }

  private func carryOut(_ step: SetupStep, _ line: String) async throws -> SetupReport.Result {
    try show(step, line)
    if !isUnattended {
      guard try await ask() else { return SetupReport.Result(step: step, command: line, outcome: .declined) }
    }
    let end = try await perform(line)
    let outcome: SetupReport.Outcome = end.isInterrupted ? .interrupted : end.status == 0 ? .done : .failed
    return SetupReport.Result(step: step, command: line, outcome: outcome, status: end.status)
  }

  /// The command of a step. The lists of packages are updated once.
  func line(of step: SetupStep, _ report: SetupReport) -> String {
    let areListsUpdated = report.results.contains { !$0.step.packages.isEmpty && $0.status != nil }
    return step.line(elevation, updatesLists: !areListsUpdated)
  }
}

/// What `tessera setup` did, and what it found afterwards.
struct SetupReport: Sendable {
  enum Outcome: String, Sendable {
    case done
    case failed
    /// The user said no.
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

  /// What remains for the user to do after the steps that were done.
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
