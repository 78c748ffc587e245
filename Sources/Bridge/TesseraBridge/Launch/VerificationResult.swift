/// The result that a page reports (the bridge protocol, section lifecycle). It is unverified: programs that rely on it
/// must verify the proof.
public struct VerificationResult: Sendable, Equatable {
  /// The user of the verification.
  public var userId: String?
  /// The identifier from the request.
  public var verificationId: String?
  /// The proof as text. A proof that was sent as JSON becomes its compact text, with the members in their order.
  public var proof: String?
  /// The disclosed claims.
  public var claims: JSONObject?

  public init(
    userId: String? = nil, verificationId: String? = nil, proof: String? = nil, claims: JSONObject? = nil
  ) {
    self.userId = userId
    self.verificationId = verificationId
    self.proof = proof
    self.claims = claims
  }

  /// Reads the members of parameters or of an object. A member of the wrong type counts as absent.
  init(_ fields: BridgeParameters) {
    userId = fields.plainText("userId")
    verificationId = fields.plainText("verificationId")
    switch fields["proof"] {
    case .object, .array: proof = fields["proof"]?.text
    default: proof = fields.plainText("proof")
    }
    if case .object(let members)? = fields["claims"] { claims = members }
  }

  /// The JSON form without absent values.
  public var json: JSONValue {
    var fields: JSONObject = ["success": true]
    fields["userId"] = userId.map(JSONValue.string)
    fields["verificationId"] = verificationId.map(JSONValue.string)
    fields["proof"] = proof.map(JSONValue.string)
    fields["claims"] = claims.map(JSONValue.object)
    return .object(fields)
  }
}

extension VerificationResult: Redacted {}

/// Why a verification has no result.
public struct VerificationError: Error, Sendable, Equatable {
  public enum Source: Sendable {
    /// The page reported the error; its code is the page's choice.
    case page
    /// The program could not show the page.
    case host
  }

  public var code: String
  public var message: String
  public var source: Source

  public init(code: String, message: String, source: Source = .page) {
    self.code = code
    self.message = message
    self.source = source
  }
}
