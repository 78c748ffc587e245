/// The description of an error for the user: what happened, and what to do about it.
///
/// `cause` and `remedy` are one sentence each. Neither may contain personal data, key material or the content of
/// a data group; `details` holds machine-readable facts (a field name, a status word) under the same rule.
public struct Failure: Error, Sendable, Equatable {
  public var kind: FailureKind
  /// What happened.
  public var cause: String
  /// What the user can do, as an imperative sentence.
  public var remedy: String?
  public var details: [String: String]

  public init(_ kind: FailureKind, _ cause: String, remedy: String? = nil, details: [String: String] = [:]) {
    self.kind = kind
    self.cause = cause
    self.remedy = remedy
    self.details = details
  }

  /// Converts any error. An error of an unknown type becomes an internal error.
  public init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let convertible as any FailureConvertible: self = convertible.failure
    case is CancellationError: self = Failure(.cancelled, "The operation was cancelled.")
    default:
      // The description of a foreign error may quote its input, so the message contains only its type.
      self = Failure(
        .internalError, "An unexpected error of type \(type(of: error)) occurred.",
        remedy: "This is a defect in Tessera. Report it with the command or request that caused it.")
    }
  }
}

/// A typed error that converts to a `Failure`.
public protocol FailureConvertible: Error, CustomStringConvertible {
  var failure: Failure { get }
}

extension FailureConvertible {
  public var description: String { failure.cause }
}

extension Failure: CustomStringConvertible {
  /// The cause and the remedy as running text.
  public var description: String {
    guard let remedy else { return cause }
    return "\(cause) \(remedy)"
  }
}
