/// Everything that is wrong in the document of a flow, and where.
public struct FlowCheck: Sendable {
  public struct Finding: Sendable, Equatable {
    public var problem: FlowProblem
    public var position: DocumentPosition
  }

  /// In the order of their places.
  public let findings: [Finding]
  /// nil if the document is not a flow.
  public let flow: OnboardingData?

  public var hasErrors: Bool { findings.contains { $0.problem.severity == .error } }

  public init(_ document: [UInt8]) {
    var problems: [FlowProblem] = []
    let flow: OnboardingData?
    var invalid: Finding?
    do {
      flow = try OnboardingData(document, problems: &problems)
    } catch {
      flow = nil
      let offset = if case .json(let error) = error { error.offset } else { 0 }
      // The decoder has said what makes the document no flow.
      if problems.isEmpty {
        invalid = Finding(
          problem: FlowProblem(.error, error.failure.cause, at: []),
          position: DocumentPosition(offset: offset, in: document))
      }
    }
    if let flow { problems += FlowPageCheck.problems(in: flow) }
    let found = problems.map { Finding(problem: $0, position: DocumentPosition(of: $0.path, in: document)) }
    self.flow = flow
    findings = (found + (invalid.map { [$0] } ?? [])).sorted {
      ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column)
    }
  }
}
