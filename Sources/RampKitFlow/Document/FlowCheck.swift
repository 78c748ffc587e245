/// Everything that is wrong in the document of a flow, and where.
public struct FlowCheck: Sendable {
  /// A problem and its place.
  public struct Finding: Sendable, Equatable {
    public var problem: FlowProblem
    public var position: DocumentPosition
  }

  /// In the order of their places. If there are more than `FlowLimits.problems`, the last one says so.
  public let findings: [Finding]
  /// nil if the document is not a flow.
  public let flow: OnboardingData?

  /// Whether a part of the flow cannot be shown.
  public let hasErrors: Bool

  public init(_ document: [UInt8]) {
    var problems: [FlowProblem] = []
    var flow: OnboardingData?
    var invalid: [Finding] = []
    do {
      let (read, screenIndices) = try OnboardingData.read(document, problems: &problems)
      flow = read
      problems += FlowPageCheck.problems(in: read).map { Self.relocated($0, screenIndices) }
    } catch {
      let offset = if case .json(let error) = error { error.offset } else { 0 }
      // The decoder may have said already what makes the document no flow.
      if problems.isEmpty {
        let problem = FlowProblem(.error, error.failure.cause, at: [])
        invalid = [Finding(problem: problem, position: DocumentPosition.positions(of: [offset], in: document)[0])]
      }
    }
    hasErrors = flow == nil || problems.contains { $0.severity == .error }
    // Both checks stop there.
    if problems.count >= FlowLimits.problems {
      let more = problems[(FlowLimits.problems - 1)...]
      let severity: FlowProblem.Severity = more.contains { $0.severity == .error } ? .error : .warning
      problems.replaceSubrange(
        (FlowLimits.problems - 1)..., with: [FlowProblem(severity, "There may be more problems.", at: [])])
    }
    let positions = DocumentPosition.positions(of: problems.map(\.path), in: document)
    let found = zip(problems, positions).map { Finding(problem: $0, position: $1) }
    self.flow = flow
    findings = (found + invalid).enumerated().sorted {
      // What has no place comes last; what is at one place keeps its order.
      let (one, other) = ($0.element, $1.element)
      guard one.problem.path.isEmpty == other.problem.path.isEmpty else { return other.problem.path.isEmpty }
      return one.position == other.position ? $0.offset < $1.offset : one.position < other.position
    }.map(\.element)
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
