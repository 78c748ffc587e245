public import TesseraFlowDocument

/// Everything that is wrong in the document of a flow, and where.
public struct FlowCheck: Sendable {
  /// A problem and its place.
  public typealias Finding = FlowFinding

  /// In the order of their places. If there are more than `FlowLimits.problems`, the last one says so.
  public let findings: [Finding]
  /// nil if the document is not a flow.
  public let flow: OnboardingData?

  /// Whether a part of the flow cannot be shown.
  public let hasErrors: Bool

  public init(_ document: [UInt8]) {
    var problems: [FlowProblem] = []
    var flow: OnboardingData?
    var unreadable: [Finding] = []
    do {
      let (read, screenIndices) = try OnboardingData.read(document, problems: &problems)
      flow = read
      problems += FlowPageCheck.problems(in: read).map { Self.relocated($0, screenIndices) }
    } catch {
      let offset = if case .json(let error) = error { error.offset } else { 0 }
      // The decoder may have said already what makes the document no flow.
      if problems.isEmpty { unreadable = [.unreadable(error.failure.cause, at: offset, in: document)] }
    }
    self.flow = flow
    hasErrors = flow == nil || problems.contains { $0.severity == .error }
    findings = unreadable + FlowFinding.findings(problems, in: document)
  }

  /// The problem at the place of its screen in the document, which may have more screens than were kept.
  private static func relocated(_ problem: FlowProblem, _ screenIndices: [Int]) -> FlowProblem {
    var problem = problem
    if problem.path.count > 1, problem.path[0] == .member("screens"), case .element(let index) = problem.path[1],
      screenIndices.indices.contains(index)
    {
      problem.path[1] = .element(screenIndices[index])
    }
    return problem
  }
}
