/// Everything that is wrong in the document of a flow, and where; also what can be shown but will not work.
public struct FlowDocumentCheck<Flow: Sendable>: Sendable {
  /// A problem and its place.
  public typealias Finding = FlowFinding

  /// In the order of their places. If there are more than `FlowProblem.maximumCount`, the last one says so.
  public let findings: [Finding]
  /// nil if the document is not a flow.
  public let flow: Flow?

  /// Whether a part of the flow cannot be shown.
  public let hasErrors: Bool

  /// - Parameter read: reads the flow, and adds what is wrong in it.
  package init(_ document: [UInt8], _ read: (inout [FlowProblem]) throws(FlowDocumentError) -> Flow) {
    var problems: [FlowProblem] = []
    var flow: Flow?
    var unreadable: [Finding] = []
    do {
      flow = try read(&problems)
    } catch {
      let offset = if case .json(let error) = error { error.offset } else { 0 }
      // The decoder may have said already what makes the document no flow.
      if problems.isEmpty { unreadable = [.unreadable(error.failure.cause, at: offset, in: document)] }
    }
    self.flow = flow
    hasErrors = flow == nil || problems.contains { $0.severity == .error }
    findings = unreadable + FlowFinding.findings(problems, in: document)
  }
}
