/// A problem of a document and its place.
public struct FlowFinding: Sendable, Equatable {
  public var problem: FlowProblem
  public var position: DocumentPosition

  public init(problem: FlowProblem, position: DocumentPosition) {
    self.problem = problem
    self.position = position
  }

  /// The problems of a document in the order of their places. What concerns the whole document comes last.
  ///
  /// - Parameter problems: if there are more than `FlowProblem.maximumCount`, the last finding says so.
  /// - Parameter document: valid JSON, as the decoder has parsed it.
  package static func findings(_ problems: [FlowProblem], in document: [UInt8]) -> [FlowFinding] {
    let problems = limited(problems)
    let positions = DocumentPosition.positions(of: problems.map(\.path), in: document)
    return zip(problems, positions).map { FlowFinding(problem: $0, position: $1) }.enumerated().sorted {
      // What is at one place keeps its order.
      let (one, other) = ($0.element, $1.element)
      guard one.problem.path.isEmpty == other.problem.path.isEmpty else { return other.problem.path.isEmpty }
      return one.position == other.position ? $0.offset < $1.offset : one.position < other.position
    }.map(\.element)
  }

  /// The one finding in a document that cannot be read at all.
  ///
  /// - Parameter offset: the byte where reading ended.
  package static func unreadable(_ cause: String, at offset: Int, in document: [UInt8]) -> FlowFinding {
    let position = DocumentPosition.positions(of: [offset], in: document).first
    return FlowFinding(
      problem: FlowProblem(.error, cause, at: []), position: position ?? DocumentPosition(line: 1, column: 1))
  }

  private static func limited(_ problems: [FlowProblem]) -> [FlowProblem] {
    let told = FlowProblem.maximumCount - 1
    // Every check stops there, so it does not know whether there are more.
    guard problems.count > told else { return problems }
    let severity: FlowProblem.Severity = problems[told...].contains { $0.severity == .error } ? .error : .warning
    return problems[..<told] + [FlowProblem(severity, "There may be more problems.", at: [])]
  }
}
