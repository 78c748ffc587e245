public import TesseraFlowDocument
public import TesseraJSON

/// The check of a flow of native screens.
public typealias FCKFlowCheck = FlowDocumentCheck<FlowConfig>

extension FlowDocumentCheck where Flow == FlowConfig {
  public init(_ document: [UInt8]) {
    self.init(document) { problems throws(FlowDocumentError) in
      let (flow, places) = try FlowConfig.read(try FlowConfig.json(document), problems: &problems)
      var check = FlowConfigCheck(flow, places)
      check.check()
      problems += check.problems
      return flow
    }
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
