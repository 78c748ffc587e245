public import TesseraBridge
public import TesseraCore

/// Why a document is not shown as a flow.
public enum FlowError: FailureConvertible, Equatable {
  /// The document has more than `FlowLimits.documentSize` bytes.
  case tooLarge
  /// The document is not UTF-8.
  case notText
  /// The document is not JSON.
  case json(JSONError)
  /// The document is JSON, but not a flow. The reason is a sentence.
  case noFlow(String)

  public var failure: Failure {
    switch self {
    case .tooLarge:
      Failure(
        .usage, "The document of the flow has more than \(FlowLimits.documentSize >> 20) MiB.",
        remedy: "Load pictures and scripts by their addresses instead of writing them into the document.")
    case .notText: Failure(.usage, "The document of the flow is not UTF-8.", remedy: "Save it as UTF-8.")
    case .json(let error): error.failure
    case .noFlow(let reason):
      Failure(.usage, reason, remedy: "“tessera flow check FILE” says what is wrong, with line numbers.")
    }
  }
}
