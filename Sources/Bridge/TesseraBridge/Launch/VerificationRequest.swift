public import TesseraCore

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
  /// All other members of the request, which the page gets as they are: `documentTypes`, `ids`, `proofItems`, those of
  /// later versions. `enterpriseSession` is never one of them.
  public var otherMembers: JSONObject
  /// The session from which the host takes the members of the request before it shows the page. The page never gets it.
  public var enterpriseSession: EnterpriseSession?

  public init(
    userId: String? = nil, scope: String? = nil, disclosures: [String] = [], verificationId: String? = nil,
    resultType: String? = nil, excludedCountries: [String] = [], userIdType: String? = nil,
    userDefinedData: String? = nil, selfDefinedData: String? = nil, otherMembers: JSONObject = JSONObject(),
    enterpriseSession: EnterpriseSession? = nil
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
    self.otherMembers = otherMembers
    self.enterpriseSession = enterpriseSession
  }

  /// The members that have a property here.
  private static let knownMembers: Set = [
    "userId", "scope", "disclosures", "verificationId", "resultType", "excludedCountries", "userIdType",
    "userDefinedData", "selfDefinedData", "enterpriseSession",
  ]

  /// Reads the JSON form.
  ///
  /// - Throws: `Failure` of the kind `usage` that names a member of the wrong type.
  public init(json: JSONValue) throws(Failure) {
    guard case .object(let members) = json else { throw Self.malformed("The verification request", "an object") }
    func text(_ name: String) throws(Failure) -> String? {
      guard let value = members[name], value != .null else { return nil }
      guard let text = value.stringValue else { throw Self.malformed("\(name) of the verification request", "a text") }
      return text
    }
    func texts(_ name: String) throws(Failure) -> [String] {
      guard let value = members[name], value != .null else { return [] }
      guard case .array(let items) = value else {
        throw Self.malformed("\(name) of the verification request", "a list of texts")
      }
      let texts = items.compactMap(\.stringValue)
      guard texts.count == items.count else {
        throw Self.malformed("\(name) of the verification request", "a list of texts")
      }
      return texts
    }
    var others = JSONObject()
    for member in members.members where !Self.knownMembers.contains(member.name) { others[member.name] = member.value }
    self.init(
      userId: try text("userId"), scope: try text("scope"), disclosures: try texts("disclosures"),
      verificationId: try text("verificationId"), resultType: try text("resultType"),
      excludedCountries: try texts("excludedCountries"), userIdType: try text("userIdType"),
      userDefinedData: try text("userDefinedData"), selfDefinedData: try text("selfDefinedData"),
      otherMembers: others, enterpriseSession: try members["enterpriseSession"].flatMap(Self.session))
  }

  private static func session(_ value: JSONValue) throws(Failure) -> EnterpriseSession? {
    if value == .null { return nil }
    guard case .object(let members) = value else {
      throw malformed("enterpriseSession of the verification request", "an object")
    }
    func text(_ name: String) throws(Failure) -> String? {
      guard let value = members[name], value != .null else { return nil }
      guard let text = value.stringValue else {
        throw malformed("\(name) of enterpriseSession of the verification request", "a text")
      }
      return text
    }
    return EnterpriseSession(id: try text("id"), url: try text("url"), apiURL: try text("apiUrl"))
  }

  private static func malformed(_ what: String, _ form: String) -> Failure {
    Failure(.usage, "\(what) is not \(form).", remedy: "Correct the request.")
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
    for member in otherMembers.members where fields[member.name] == nil && member.name != "enterpriseSession" {
      fields[member.name] = member.value
    }
    return .object(fields)
  }
}

extension VerificationRequest: Redacted {}
