import Failures

/// A failed answer's `error`.
public struct BridgeError: Error, Sendable, Equatable {
  /// One of the protocol's codes, `SCREAMING_SNAKE_CASE`.
  public let code: String
  public let message: String
  public let details: JSONValue?

  public init(_ code: String, _ message: String, details: JSONValue? = nil) {
    self.code = code
    self.message = message
    self.details = details
  }

  /// Any error, in the protocol's words: coded ones as they are, all others by the table of failures.
  public init(_ error: any Error) {
    if let coded = error as? BridgeError {
      self = coded
      return
    }
    let failure = Failure(error)
    // Several kinds share a code of the protocol; `reason` tells them apart.
    let details = failure.details.merging(["reason": failure.kind.rawValue]) { own, _ in own }
    self.init(
      failure.kind.bridgeCode, failure.description, details: .object(details.mapValues(JSONValue.string)))
  }

  static func methodNotFound(_ method: String) -> BridgeError {
    BridgeError("METHOD_NOT_FOUND", "This domain has no such method.")
  }
}
