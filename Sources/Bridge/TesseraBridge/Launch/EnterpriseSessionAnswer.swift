#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the server of a session answers.
struct EnterpriseSessionAnswer {
  private let members: JSONValue
  private let organization: String
  private let user: String

  /// - Parameters:
  ///   - status: that of HTTP.
  ///   - body: the body in UTF-8.
  ///   - now: the present time.
  /// - Throws: `EnterpriseSessionError`, if this is no session that waits for a verification.
  init(status: Int, body: [UInt8], now: Date) throws(EnterpriseSessionError) {
    guard status != 404 else { throw .notFound }
    guard 200...299 ~= status, body.count <= EnterpriseSession.maximumAnswer,
      let text = String(validating: body, as: UTF8.self), let members = try? JSONValue(text: text),
      let organization = members["orgId"]?.stringValue, let user = members["externalUuid"]?.stringValue
    else { throw .notResolved }
    let state = members["status"]?.stringValue
    // A server may still call an expired session pending.
    if state == "expired" { throw .expired }
    if let end = Self.date(members["expiresAt"]), end < now { throw .expired }
    guard state == "pending" else { throw .alreadyProcessed }
    self.members = members
    self.organization = organization
    self.user = user
  }

  /// The request with the members that the session decides, and its own others.
  func request(
    _ request: VerificationRequest, of session: EnterpriseSession, _ reference: String
  ) -> VerificationRequest {
    let isStaging = members["environment"] == "test"
    let id = members["id"]?.stringValue ?? reference
    let name = members["flowName"]?.stringValue ?? ""
    var derived = request
    derived.enterpriseSession = session
    derived.userId = user
    derived.userIdType = "uuid"
    derived.scope = String(organization.unicodeScalars.lazy.filter { $0 != "-" }.prefix(30).map(Character.init))
    derived.disclosures = disclosures
    derived.excludedCountries = members["predicatesConfig"]?["excludedCountries"]?.texts ?? []
    derived.verificationId = id
    // The verifier finds the session by it.
    derived.userDefinedData = JSONValue.object(["verificationId": .string(id)]).text
    derived.otherMembers["appEndpoint"] =
      isStaging ? "https://verifier.staging.self.xyz/verify" : "https://verifier.self.xyz/verify"
    derived.otherMembers["endpointType"] = isStaging ? "staging_https" : "https"
    derived.otherMembers["environment"] = isStaging ? "stg" : "prod"
    derived.otherMembers["appName"] = .string(name.isEmpty ? "Self Verification" : name)
    derived.otherMembers["version"] = 2
    return derived
  }

  /// The names that the server uses, with those of requests, in the order of a request.
  private static let names: [(server: String, request: String)] = [
    ("fullName", "name"), ("documentNumber", "passport_number"), ("dateOfBirth", "date_of_birth"), ("gender", "gender"),
    ("nationality", "nationality"), ("expirationDate", "expiry_date"), ("issuingState", "issuing_state"),
  ]

  private var disclosures: [String] {
    let predicates = members["predicatesConfig"]
    var disclosures: [String] = []
    if let age = predicates?["minimumAge"]?.plainNumber { disclosures.append("minimumAge:\(age)") }
    if predicates?["ofac"] == true { disclosures.append("ofac") }
    if case .array(let countries)? = predicates?["includedCountries"], !countries.isEmpty {
      disclosures.append("nationality")
    }
    for name in Self.names where predicates?["disclosures"]?[name.server] == true {
      if !disclosures.contains(name.request) { disclosures.append(name.request) }
    }
    return disclosures
  }

  /// A time as text (ISO 8601) or in milliseconds since 1970; nil for anything else, which sets no limit.
  private static func date(_ value: JSONValue?) -> Date? {
    switch value {
    case .integer(let milliseconds): return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    case .string(let text) where text.utf8.count <= 64:
      return (try? Date(text, strategy: .iso8601))
        ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        ?? (text.utf8.count == 10 ? try? Date("\(text)T00:00:00Z", strategy: .iso8601) : nil)
    default: return nil
    }
  }
}

extension VerificationRequest {
  /// The request of its enterprise session, from the server's answer.
  ///
  /// - Parameters:
  ///   - status: that of HTTP.
  ///   - body: the body in UTF-8.
  ///   - now: the present time.
  /// - Returns: the request itself if it has no session.
  /// - Throws: `EnterpriseSessionError`.
  package func resolved(
    status: Int, body: [UInt8], now: Date = .now
  ) throws(EnterpriseSessionError) -> VerificationRequest {
    guard let enterpriseSession else { return self }
    let reference = try enterpriseSession.reference()
    return try EnterpriseSessionAnswer(status: status, body: body, now: now)
      .request(self, of: enterpriseSession, reference)
  }
}

extension JSONValue {
  /// The texts of a list.
  fileprivate var texts: [String]? {
    guard case .array(let elements) = self else { return nil }
    return elements.compactMap(\.stringValue)
  }

  /// The digits of a number, without a fraction if it is a whole one.
  fileprivate var plainNumber: String? {
    switch self {
    case .integer(let number): String(number)
    case .number(let number): number.double.map { Int64(exactly: $0).map { String($0) } ?? number.text }
    default: nil
    }
  }
}
