public import TesseraCore
public import TesseraJSON

/// Why a document is not shown as a flow, of either kind.
public enum FlowDocumentError: FailureConvertible, Equatable {
  /// The document has more bytes than a flow of its kind can have.
  case tooLarge(limit: Int)
  /// The document is not UTF-8.
  case notText
  /// The document is not JSON, or its JSON is nested too deeply.
  case json(JSONError)
  /// The document is JSON, but not a flow. The reason is a sentence.
  case noFlow(String)

  public var failure: Failure {
    switch self {
    case .tooLarge(let limit):
      Failure(
        .usage, "The document of the flow has more than \(limit >> 20) MiB.",
        remedy: "Load pictures and scripts by their addresses instead of writing them into the document.")
    case .notText: Failure(.usage, "The document of the flow is not UTF-8.", remedy: "Save it as UTF-8.")
    case .json(let error): error.failure
    case .noFlow(let reason):
      Failure(.usage, reason, remedy: "“tessera flow check FILE” says what is wrong, with line numbers.")
    }
  }
}

/// The JSON of a flow's document.
package enum FlowDocumentText {
  /// Reads a document.
  ///
  /// - Parameters:
  ///   - limit: the bytes of the longest document.
  ///   - maximumNesting: the deepest nesting of arrays and objects; nil for that of a message.
  /// - Throws: `FlowDocumentError`; `noFlow` is not among its reasons.
  package static func json(
    _ document: some Collection<UInt8>, limit: Int, maximumNesting: Int? = nil
  ) throws(FlowDocumentError) -> JSONValue {
    guard document.count <= limit else { throw .tooLarge(limit: limit) }
    guard let text = String(validating: JSONValue.withoutMark(document), as: UTF8.self) else { throw .notText }
    do throws(JSONError) {
      guard let maximumNesting else { return try JSONValue(text: text) }
      return try JSONValue(text: text, maximumNesting: maximumNesting)
    } catch {
      throw .json(error)
    }
  }
}
