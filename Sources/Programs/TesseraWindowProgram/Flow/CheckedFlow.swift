import FCKOnboardingFlow
import RampKitFlow
import TesseraFlowDocument

/// The document of a flow of either kind, checked.
struct CheckedFlow {
  enum Kind: String {
    /// RampKit's: every screen is a web page.
    case pages
    /// FCKOnboarding's: every screen is drawn with native widgets.
    case native
  }

  /// The bytes of the largest document of both kinds.
  static let documentSize = max(FlowLimits.documentSize, FlowConfigLimits.documentSize)

  let kind: Kind
  let findings: [FlowFinding]
  let hasErrors: Bool
  /// nil if the document is not a flow.
  let size: (screens: Int, variables: Int)?

  /// A text that is no JSON is told of as one with pages.
  init(_ document: [UInt8]) {
    if FCKFlowCheck.recognizes(document) {
      let check = FCKFlowCheck(document)
      kind = .native
      findings = check.findings
      hasErrors = check.hasErrors
      size = check.flow.map { ($0.screens.count, $0.variables.count) }
    } else {
      let check = FlowCheck(document)
      kind = .pages
      findings = check.findings
      hasErrors = check.hasErrors
      size = check.flow.map { ($0.screens.count, $0.variables.count) }
    }
  }
}
