public import TesseraCore

/// The reason why a text has no canonical form (RFC 8785). It names the position and never quotes the text.
public struct CanonicalJSONError: FailureConvertible, Equatable {
  public enum Reason: Sendable, Equatable {
    /// The text has over 64 kB.
    case length
    /// The bytes are not UTF-8.
    case encoding
    /// The text violates the grammar of RFC 8259.
    case syntax
    /// Arrays and objects are nested deeper than 32 levels.
    case nesting
    /// An object has two members with one name (RFC 7493, 2.3).
    case duplicateName
    /// A string contains half of a surrogate pair (RFC 7493, 2.1).
    case loneSurrogate
    /// A number is too large for IEEE 754's double precision (RFC 8785, 3.2.2.3).
    case number
  }

  public let reason: Reason
  /// The position in bytes of UTF-8; nil if the reason concerns the whole text.
  public let offset: Int?

  init(_ reason: Reason, offset: Int? = nil) { (self.reason, self.offset) = (reason, offset) }

  public var failure: Failure { Failure(.usage, cause + (offset.map { " (at byte \($0))." } ?? ".")) }

  private var cause: String {
    switch reason {
    case .length: "The text is longer than \(StrictJSON.maximumLength) bytes"
    case .encoding: "The text is not UTF-8"
    case .syntax: "The text is not JSON"
    case .nesting: "The JSON text is nested deeper than \(StrictJSON.maximumNesting) levels"
    case .duplicateName: "An object of the JSON text has two members with one name"
    case .loneSurrogate: "The JSON text contains half of a surrogate pair"
    case .number: "The JSON text contains a number that is too large"
    }
  }
}
