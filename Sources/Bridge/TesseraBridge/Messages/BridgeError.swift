import TesseraCore

/// The `error` of a failed response.
public struct BridgeError: Error, Sendable, Equatable {
  /// One of the protocol's codes, `SCREAMING_SNAKE_CASE`.
  public let code: String
  public let message: String
  public let details: JSONValue?
  /// The underlying failure, for callers in this process. Not part of the message.
  public let failure: Failure?

  public init(_ code: String, _ message: String, details: JSONValue? = nil, failure: Failure? = nil) {
    self.code = code
    self.message = message
    self.details = details
    self.failure = failure
  }

  /// The error of the protocol for any error. A `BridgeError` is unchanged.
  public init(_ error: any Error) {
    if let coded = error as? BridgeError {
      self = coded
      return
    }
    let failure = Failure(error)
    self.init(failure.kind.bridgeCode, failure.cause, failure: failure)
  }

  /// The error of a provider with a code of its domain. Local programs receive the cause. Web content receives it for
  /// invalid requests only, otherwise `message`: the cause may reveal paths and devices.
  init(_ code: String, behind error: any Error, for caller: Caller, otherwise message: String) {
    if let coded = error as? BridgeError {
      self = coded
      return
    }
    let failure = Failure(error)
    let showsCause = caller == .local || failure.kind == .usage
    self.init(code, showsCause ? failure.cause : message, failure: failure)
  }

  static func notConfigured(_ provider: String) -> BridgeError {
    BridgeError("NOT_CONFIGURED", "No \(provider) provider is registered.")
  }

  /// The names of methods are public, so that callers without a grant learn them, too.
  package static func methodNotFound(_ request: BridgeRequest) -> BridgeError {
    let methods = request.domain.methods
    let name = request.method.quotedName.map { "method \($0)" } ?? "such method"
    return BridgeError(
      methodNotFoundCode,
      "\(request.domain.rawValue) has no \(name).\(NearNames.hint(request.method, in: methods))")
  }

  package static let methodNotFoundCode = "METHOD_NOT_FOUND"
}
