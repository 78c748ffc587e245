import Failures

/// A failed answer's `error`.
public struct BridgeError: Error, Sendable, Equatable {
  /// One of the protocol's codes, `SCREAMING_SNAKE_CASE`.
  public let code: String
  public let message: String
  public let details: JSONValue?
  /// The failure behind it, for askers in this process: several kinds share a code, and its remedy speaks of the
  /// command line. Not part of the message.
  public let failure: Failure?

  public init(_ code: String, _ message: String, details: JSONValue? = nil, failure: Failure? = nil) {
    self.code = code
    self.message = message
    self.details = details
    self.failure = failure
  }

  /// Any error, in the protocol's words: coded ones as they are, all others by the table of failures.
  public init(_ error: any Error) {
    if let coded = error as? BridgeError {
      self = coded
      return
    }
    let failure = Failure(error)
    self.init(failure.kind.bridgeCode, failure.cause, failure: failure)
  }

  /// A provider's error under a code of its domain. Web content is told what was wrong with its own request; what is
  /// behind the bridge (paths, devices) is not its business.
  init(_ code: String, behind error: any Error, toldTo caller: BridgeCaller, otherwise message: String) {
    if let coded = error as? BridgeError {
      self = coded
      return
    }
    let failure = Failure(error)
    let mayBeTold = caller == .local || failure.kind == .usage
    self.init(code, mayBeTold ? failure.cause : message, failure: failure)
  }

  static func notConfigured(_ provider: String) -> BridgeError {
    BridgeError("NOT_CONFIGURED", "No \(provider) provider is registered.")
  }

  static let methodNotFound = BridgeError("METHOD_NOT_FOUND", "This domain has no such method.")
}
