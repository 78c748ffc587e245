/// A place in a text, as people count: from 1.
public struct DocumentPosition: Sendable, Equatable, Comparable {
  public var line: Int
  /// In characters.
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public static func < (left: DocumentPosition, right: DocumentPosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  /// The places of bytes.
  package static func positions(of offsets: [Int], in text: [UInt8]) -> [DocumentPosition] {
    var positions = [DocumentPosition](repeating: DocumentPosition(line: 1, column: 1), count: offsets.count)
    var position = DocumentPosition(line: 1, column: 1)
    var read = 0
    for index in offsets.indices.sorted(by: { offsets[$0] < offsets[$1] }) {
      while read < min(offsets[index], text.count) {
        if text[read] == UInt8(ascii: "\n") {
          position = DocumentPosition(line: position.line + 1, column: 1)
        } else if text[read] & 0xC0 != 0x80 {
          // Bytes that continue a character do not count.
          position.column += 1
        }
        read += 1
      }
      positions[index] = position
    }
    return positions
  }

  /// The places of values in a JSON text, in one pass. A part of a path that does not exist leads to the value around it.
  ///
  /// - Parameter text: valid JSON, as the decoder has parsed it.
  package static func positions(of paths: [[FlowProblem.Step]], in text: [UInt8]) -> [DocumentPosition] {
    var locator = JSONLocator(text, count: paths.count)
    locator.locate(paths.enumerated().map { ($0, $1[...]) })
    return positions(of: locator.offsets, in: text)
  }
}

/// A problem of a document and its place.
public struct FlowFinding: Sendable, Equatable {
  public var problem: FlowProblem
  public var position: DocumentPosition

  public init(problem: FlowProblem, position: DocumentPosition) {
    self.problem = problem
    self.position = position
  }

  /// The problems of a document in the order of their places. What concerns the whole document comes last.
  ///
  /// - Parameter problems: if there are more than `FlowProblem.maximumCount`, the last finding says so.
  /// - Parameter document: valid JSON, as the decoder has parsed it.
  package static func findings(_ problems: [FlowProblem], in document: [UInt8]) -> [FlowFinding] {
    let problems = limited(problems)
    let positions = DocumentPosition.positions(of: problems.map(\.path), in: document)
    return zip(problems, positions).map { FlowFinding(problem: $0, position: $1) }.enumerated().sorted {
      // What is at one place keeps its order.
      let (one, other) = ($0.element, $1.element)
      guard one.problem.path.isEmpty == other.problem.path.isEmpty else { return other.problem.path.isEmpty }
      return one.position == other.position ? $0.offset < $1.offset : one.position < other.position
    }.map(\.element)
  }

  /// The one finding in a document that cannot be read at all.
  ///
  /// - Parameter offset: the byte where reading ended.
  package static func unreadable(_ cause: String, at offset: Int, in document: [UInt8]) -> FlowFinding {
    let position = DocumentPosition.positions(of: [offset], in: document).first
    return FlowFinding(
      problem: FlowProblem(.error, cause, at: []), position: position ?? DocumentPosition(line: 1, column: 1))
  }

  private static func limited(_ problems: [FlowProblem]) -> [FlowProblem] {
    let told = FlowProblem.maximumCount - 1
    // Every check stops there, so it does not know whether there are more.
    guard problems.count > told else { return problems }
    let severity: FlowProblem.Severity = problems[told...].contains { $0.severity == .error } ? .error : .warning
    return problems[..<told] + [FlowProblem(severity, "There may be more problems.", at: [])]
  }
}

/// Something wrong in the document of a flow: of RampKit's pages, or of FCKOnboarding's native screens.
public struct FlowProblem: Sendable, Equatable {
  public enum Severity: String, Sendable {
    /// The flow cannot be shown, or a part of it was left out.
    case error
    /// The flow can be shown, but probably not as its author meant it.
    case warning
  }

  /// A step from the root of the document to a value.
  public enum Step: Sendable, Equatable {
    case member(String)
    case element(Int)
  }

  /// The number of problems of a document that are told.
  public static let maximumCount = 200

  public var severity: Severity
  /// A sentence.
  public var message: String
  /// Where the value is.
  public var path: [Step]

  public init(_ severity: Severity, _ message: String, at path: [Step]) {
    self.severity = severity
    self.message = message
    self.path = path
  }

  /// The path as text, for example `screens[2].html`; empty for the document.
  public var place: String {
    path.reduce(into: "") { text, step in
      switch step {
      case .member(let name): text += text.isEmpty ? name : ".\(name)"
      case .element(let index): text += "[\(index)]"
      }
    }
  }
}
