public import Failures

/// Why a text is not taken as JSON. It says where, and never what stands there.
public struct JSONError: ExplainedError, Equatable {
  public enum Reason: Sendable, Equatable {
    /// The grammar has something else here.
    case syntax
    /// Arrays and objects lie too deeply in each other.
    case nesting
    /// Half of a surrogate pair: no text holds it.
    case loneSurrogate
  }

  public let reason: Reason
  /// Bytes of UTF-8 before the place.
  public let offset: Int

  public var failure: Failure {
    let cause =
      switch reason {
      case .syntax: "The text is not JSON"
      case .nesting: "The JSON text is nested deeper than \(JSONValue.deepestNesting) levels"
      case .loneSurrogate: "The JSON text has half of a surrogate pair"
      }
    return Failure(.usage, "\(cause) (at byte \(offset)).")
  }
}
