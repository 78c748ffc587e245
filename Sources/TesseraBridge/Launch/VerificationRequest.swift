/// A verification that a program requests (the bridge protocol, section Launch).
public struct VerificationRequest: Sendable, Equatable {
  public var userId: String?
  public var scope: String?
  public var disclosures: [String]
  public var verificationId: String?
  public var resultType: String?
  /// The codes of countries whose documents are not accepted.
  public var excludedCountries: [String]
  public var userIdType: String?
  public var userDefinedData: String?
  public var selfDefinedData: String?

  public init(
    userId: String? = nil, scope: String? = nil, disclosures: [String] = [], verificationId: String? = nil,
    resultType: String? = nil, excludedCountries: [String] = [], userIdType: String? = nil,
    userDefinedData: String? = nil, selfDefinedData: String? = nil
  ) {
    self.userId = userId
    self.scope = scope
    self.disclosures = disclosures
    self.verificationId = verificationId
    self.resultType = resultType
    self.excludedCountries = excludedCountries
    self.userIdType = userIdType
    self.userDefinedData = userDefinedData
    self.selfDefinedData = selfDefinedData
  }

  /// The JSON form without absent values; `disclosures` is always present.
  package var json: JSONValue {
    var fields: JSONObject = ["disclosures": .array(disclosures.map(JSONValue.string))]
    if !excludedCountries.isEmpty { fields["excludedCountries"] = .array(excludedCountries.map(JSONValue.string)) }
    for (name, value) in [
      ("userId", userId), ("scope", scope), ("verificationId", verificationId), ("resultType", resultType),
      ("userIdType", userIdType), ("userDefinedData", userDefinedData), ("selfDefinedData", selfDefinedData),
    ] {
      fields[name] = value.map(JSONValue.string)
    }
    return .object(fields)
  }
}

extension VerificationRequest: Redacted {}
