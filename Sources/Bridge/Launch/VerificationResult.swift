/// What a page found out (dossier, 6.3). It is the page's word: whoever relies on it verifies the proof.
public struct VerificationResult: Sendable, Equatable {
  public var userId: String?
  public var verificationId: String?
  /// Text; a proof that was sent as JSON is its compact text, members in the order in which they came.
  public var proof: String?
  public var claims: JSONObject?

  public init(
    userId: String? = nil, verificationId: String? = nil, proof: String? = nil, claims: JSONObject? = nil
  ) {
    self.userId = userId
    self.verificationId = verificationId
    self.proof = proof
    self.claims = claims
  }

  /// From parameters or an object that hold the fields side by side. What has no plain value counts as absent, and
  /// `claims` that are no object too.
  init(_ fields: BridgeParameters) {
    userId = fields.plainText("userId")
    verificationId = fields.plainText("verificationId")
    switch fields["proof"] {
    case .object, .array: proof = fields["proof"]?.text
    default: proof = fields.plainText("proof")
    }
    if case .object(let members)? = fields["claims"] { claims = members }
  }

  /// What is not set is left out.
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

/// Why a verification failed, in the page's words.
public struct VerificationError: Error, Sendable, Equatable {
  public var code: String
  public var message: String

  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}
