public import TesseraCore

/// The reason why a text cannot be parsed as JSON. It names the position and never quotes the text.
public struct JSONError: FailureConvertible, Equatable {
  public enum Reason: Sendable, Equatable {
    /// The text violates the grammar.
    case syntax
    /// Arrays and objects are nested too deeply.
    case nesting
    /// The text contains half of a surrogate pair.
    case loneSurrogate
  }

  public let reason: Reason
  /// The position in bytes of UTF-8.
  public let offset: Int
  /// The limit of the parser that found the reason.
  var maximumNesting = JSONValue.maximumNesting
  /// Whether the text begins with a byte order mark, which nobody sees.
  var hasByteOrderMark = false

  public var failure: Failure {
    let cause =
      switch reason {
      case .syntax where hasByteOrderMark: "The text begins with a byte order mark, which JSON does not have"
      case .syntax: "The text is not JSON"
      case .nesting: "The JSON text is nested deeper than \(maximumNesting) levels"
      case .loneSurrogate: "The JSON text contains half of a surrogate pair"
      }
    return Failure(.usage, "\(cause) (at byte \(offset)).")
  }
}
