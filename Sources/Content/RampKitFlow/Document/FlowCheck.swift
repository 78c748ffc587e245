public import TesseraFlowDocument

/// The check of a flow of pages.
public typealias FlowCheck = FlowDocumentCheck<OnboardingData>

extension FlowDocumentCheck where Flow == OnboardingData {
  public init(_ document: [UInt8]) {
    self.init(document) { problems throws(FlowDocumentError) in
      let (flow, screenIndices) = try OnboardingData.read(document, problems: &problems)
      problems += FlowPageCheck.problems(in: flow).map { Self.relocated($0, screenIndices) }
      return flow
    }
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
