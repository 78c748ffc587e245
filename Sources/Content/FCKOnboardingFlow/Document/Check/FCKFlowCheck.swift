public import TesseraFlowDocument
public import TesseraJSON

/// Everything that is wrong in the document of a flow of native screens, and where; also what can be shown but will not
/// work.
public struct FCKFlowCheck: Sendable {
  /// In the order of their places. If there are more than `FlowProblem.maximumCount`, the last one says so.
  public let findings: [FlowFinding]
  /// nil if the document is not a flow.
  public let flow: FlowConfig?

  /// Whether a part of the flow cannot be shown.
  public let hasErrors: Bool

  public init(_ document: [UInt8]) {
    var problems: [FlowProblem] = []
    var flow: FlowConfig?
    var unreadable: [FlowFinding] = []
    do {
      let (config, places) = try FlowConfig.read(try FlowConfig.json(document), problems: &problems)
      flow = config
      var check = FlowConfigCheck(config, places)
      check.check()
      problems += check.problems
    } catch {
      let offset = if case .json(let error) = error { error.offset } else { 0 }
      // The decoder has said already what makes the document no flow.
      if problems.isEmpty { unreadable = [.unreadable(error.failure.cause, at: offset, in: document)] }
    }
    self.flow = flow
    hasErrors = flow == nil || problems.contains { $0.severity == .error }
    findings = unreadable + FlowFinding.findings(problems, in: document)
  }

  /// Whether a document is of this kind and not of RampKit's. The screens of this kind have a `root`, those of RampKit
  /// have `html`; and a `config` around them is of this kind.
  public static func recognizes(_ document: JSONValue) -> Bool {
    guard case .object(let members) = document else { return false }
    if case .array(let screens)? = members["screens"] {
      if screens.contains(where: { $0["root"] != nil }) { return true }
      if screens.contains(where: { $0["html"] != nil }) { return false }
    }
    return members["config"] != nil
  }

  /// The same for a text, which may be larger than `FlowConfigLimits.documentSize`. It must not be larger than a program
  /// reads anyway.
  ///
  /// - Returns: false for a text that is not JSON.
  public static func recognizes(_ document: [UInt8]) -> Bool {
    guard let text = String(validating: JSONValue.withoutMark(document), as: UTF8.self),
      let json = try? JSONValue(text: text, maximumNesting: FlowConfigLimits.nesting)
    else { return false }
    return recognizes(json)
  }
}
