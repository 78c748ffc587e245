public import TesseraBridge
public import TesseraCore

/// Why a document is not shown as a flow of native screens.
public enum FlowDocumentError: FailureConvertible, Equatable {
  /// The document has more than `FlowConfigLimits.documentSize` bytes.
  case tooLarge
  /// The document is not UTF-8.
  case notText
  /// The document is not JSON, or its JSON is nested too deeply.
  case json(JSONError)
  /// The document is JSON, but not a flow. The reason is a sentence.
  case noFlow(String)

  public var failure: Failure {
    switch self {
    case .tooLarge:
      Failure(
        .usage, "The document of the flow has more than \(FlowConfigLimits.documentSize >> 20) MiB.",
        remedy: "Name pictures by their addresses, and shorten the flow.")
    case .notText: Failure(.usage, "The document of the flow is not UTF-8.", remedy: "Save it as UTF-8.")
    case .json(let error): error.failure
    case .noFlow(let reason):
      Failure(.usage, reason, remedy: "“tessera flow check FILE” says what is wrong, with line numbers.")
    }
  }
}
