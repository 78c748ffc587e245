public import TesseraCore
public import TesseraJSON

/// Reads the document of a flow, and notes what it leaves out.
///
/// The readers below take a value and its path, which is made only for a problem. `null` is the same as no value.
package protocol FlowDocumentDecoder {
  /// A few more than `FlowProblem.maximumCount` at most: a document can have millions.
  var problems: [FlowProblem] { get set }
}

/// The limits that all decoders share.
package enum FlowNames {
  /// The bytes of UTF-8 of the longest name: an id, a key, a locale, an address of a screen. Names are looked up often.
  package static let longest = 256
}

extension FlowDocumentDecoder {
  package mutating func error(_ message: String, _ path: [FlowProblem.Step]) {
    add(FlowProblem(.error, message, at: path))
  }

  package mutating func warning(_ message: String, _ path: [FlowProblem.Step]) {
    add(FlowProblem(.warning, message, at: path))
  }

  private mutating func add(_ problem: FlowProblem) {
    if problems.count <= FlowProblem.maximumCount { problems.append(problem) }
  }

  /// Whether a name is short enough. Another one is a problem of the value around it: no path has such a name.
  ///
  /// - Parameter kind: what it names, for example “id”.
  package mutating func isName(
    _ name: String, _ kind: String, _ path: @autoclosure () -> [FlowProblem.Step]
  ) -> Bool {
    guard name.utf8.count > FlowNames.longest else { return true }
    let start = PrintableText.of(String(String.UnicodeScalarView(name.unicodeScalars.prefix(32))))
    error(
      "The \(kind) “\(start)…” has \(name.utf8.count) bytes. At most \(FlowNames.longest) are allowed, so what it "
        + "names is left out.", path())
    return false
  }

  /// A string; nil if there is none. Another type is a problem.
  package mutating func text(_ value: JSONValue?, _ path: @autoclosure () -> [FlowProblem.Step]) -> String? {
    guard let value, value != .null else { return nil }
    guard let text = value.stringValue else {
      error("The value must be a string, so it is left out.", path())
      return nil
    }
    return text
  }

  /// The elements of an array; none if there is no value. Another type is a problem.
  package mutating func array(_ value: JSONValue?, _ path: @autoclosure () -> [FlowProblem.Step]) -> [JSONValue] {
    guard let value, value != .null else { return [] }
    guard case .array(let elements) = value else {
      error("The value must be an array, so it is left out.", path())
      return []
    }
    return elements
  }

  /// The members of an object; none if there is no value. Another type is a problem.
  package mutating func object(
    _ value: JSONValue?, _ path: @autoclosure () -> [FlowProblem.Step]
  ) -> [(name: String, value: JSONValue)] {
    guard let value, value != .null else { return [] }
    guard case .object(let object) = value else {
      error("The value must be an object, so it is left out.", path())
      return []
    }
    return object.members.map { ($0.name, $0.value) }
  }
}

extension JSONValue {
  /// A number as floating point.
  package var doubleValue: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number.double
    case .null, .bool, .string, .array, .object: nil
    }
  }
}

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
