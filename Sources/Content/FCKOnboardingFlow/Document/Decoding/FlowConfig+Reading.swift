public import TesseraFlowDocument
public import TesseraJSON

extension FlowConfig {
  /// Reads the document of a flow.
  ///
  /// - Parameters:
  ///   - document: UTF-8 of what `init(_:problems:)` with a `JSONValue` reads.
  ///   - problems: receives what was left out, also if an error is thrown.
  /// - Throws: `FlowDocumentError`.
  public init(_ document: some Collection<UInt8>, problems: inout [FlowProblem]) throws(FlowDocumentError) {
    try self.init(Self.json(document), problems: &problems)
  }

  /// Reads the document of a flow: `{version, screens}`, or an object around it whose `config` is one. So the answer to a
  /// request for a placement can be read as it came; the inner object wins if it is a flow.
  ///
  /// - Parameter problems: receives what was left out, also if an error is thrown.
  /// - Throws: `FlowDocumentError.noFlow` if the document is no flow, or goes beyond `FlowConfigLimits`.
  public init(_ document: JSONValue, problems: inout [FlowProblem]) throws(FlowDocumentError) {
    self = try Self.read(document, problems: &problems).config
  }

  /// The JSON of a document, or of an answer with one in it. Elements around each other need more nesting than messages,
  /// so `JSONValue(text:)` refuses what this reads.
  ///
  /// - Throws: `FlowDocumentError`; `noFlow` is not among its reasons.
  public static func json(_ document: some Collection<UInt8>) throws(FlowDocumentError) -> JSONValue {
    try FlowDocumentText.json(
      document, limit: FlowConfigLimits.documentSize, maximumNesting: FlowConfigLimits.nesting)
  }

  /// - Returns: the flow, and where its screens are in the document.
  static func read(
    _ document: JSONValue, problems: inout [FlowProblem]
  ) throws(FlowDocumentError) -> (config: FlowConfig, places: [FlowConfigDecoder.ScreenPlace]) {
    var decoder = FlowConfigDecoder()
    let config = decoder.config(document)
    problems += decoder.problems
    guard let config else { throw .noFlow(decoder.refusal ?? "The document is not a flow.") }
    return (config, decoder.places)
  }
}
