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
