/// What went wrong, in the words that every door of the house shows: the shell, the bridge and a Swift caller.
///
/// `cause` and `remedy` are one sentence each. Neither may contain personal data, key material or the content of
/// a data group; `details` holds facts for machines (a field name, a status word) under the same rule.
public struct Failure: Error, Sendable, Equatable {
  public var kind: FailureKind
  public var cause: String
  public var remedy: String?
  public var details: [String: String]

  public init(_ kind: FailureKind, _ cause: String, remedy: String? = nil, details: [String: String] = [:]) {
    self.kind = kind
    self.cause = cause
    self.remedy = remedy
    self.details = details
  }

  /// The failure behind any error: its own words where it has some, otherwise "a defect".
  public init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let explained as any ExplainedError: self = explained.failure
    case is CancellationError: self = Failure(.cancelled, "The operation was cancelled.")
    default:
      // The description of a foreign error may quote its input, so only its type is told.
      self = Failure(
        .internalError, "An unexpected error of type \(type(of: error)) occurred.",
        remedy: "This is a defect in Tessera; please report it with the command that caused it.")
    }
  }
}

/// A typed error of one room that can say itself in the words of the shared table.
public protocol ExplainedError: Error, CustomStringConvertible {
  var failure: Failure { get }
}

extension ExplainedError {
  public var description: String { failure.cause }
}

extension Failure: CustomStringConvertible {
  /// Cause and remedy as running text.
  public var description: String {
    guard let remedy else { return cause }
    return "\(cause) \(remedy)"
  }
}
