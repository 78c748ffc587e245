import Foundation
import Testing

@testable import TesseraBridge

@Suite("Enterprise sessions")
struct EnterpriseSessionTests {
  private static let reference = "7f1d2c3b-0a9e-4d5c-8b7a-112233445566"
  private static let now = Date(timeIntervalSince1970: 1_785_000_000)  // July 25th, 2026

  @Test(
    "the reference is the id, or the last part of the address, or the text itself",
    arguments: [
      (EnterpriseSession(id: reference), reference), (EnterpriseSession(id: "A_b-567890"), "A_b-567890"),
      (EnterpriseSession(id: String(repeating: "x", count: 128)), String(repeating: "x", count: 128)),
      (EnterpriseSession(id: reference, url: "https://a.example/s/another-one-123"), reference),
      (EnterpriseSession(id: "", url: reference), reference),
      (EnterpriseSession(url: "https://verify.example/s/\(reference)"), reference),
      (EnterpriseSession(url: "https://verify.example/s/\(reference)/?a=b/c#d/e"), reference),
      (EnterpriseSession(url: "self:\(reference)"), reference),
      (EnterpriseSession(url: "self://s/\(reference)"), reference),
    ])
  func references(_ session: EnterpriseSession, _ expected: String) throws {
    #expect(try session.reference() == expected)
    #expect(try session.address() == "https://edge.dashboard.self.xyz/v1/sessions/\(expected)")
  }

  @Test(
    "anything else is no reference",
    arguments: [
      EnterpriseSession(), EnterpriseSession(id: ""), EnterpriseSession(id: "", url: ""),
      EnterpriseSession(id: "short"),
      EnterpriseSession(id: "123456789"), EnterpriseSession(id: String(repeating: "x", count: 129)),
      EnterpriseSession(id: "abcdefghij/.."), EnterpriseSession(id: "abcdefghij%2F"),
      EnterpriseSession(id: "abcdefghijä"),
      EnterpriseSession(id: " \(reference)"), EnterpriseSession(id: "\(reference)\n"),
      EnterpriseSession(id: "bad id", url: reference), EnterpriseSession(url: "https://verify.example"),
      EnterpriseSession(url: "https://verify.example-abcdefghij"),
      EnterpriseSession(url: "https://a.example/s/?\(reference)"),
      EnterpriseSession(url: "https://a.example/#\(reference)"), EnterpriseSession(url: "s/\(reference)"),
    ])
  func invalid(_ session: EnterpriseSession) {
    #expect(throws: EnterpriseSessionError.invalidReference) { try session.reference() }
    #expect(throws: EnterpriseSessionError.invalidReference) { try session.address() }
  }

  @Test("one final slash of the server's address is cut")
  func server() throws {
    for (server, expected) in [
      ("https://a.example", "https://a.example"), ("https://a.example/", "https://a.example"),
      ("https://a.example/x//", "https://a.example/x/"), ("", EnterpriseSession.standardAPI),
    ] {
      let session = EnterpriseSession(id: Self.reference, apiURL: server)
      #expect(try session.address() == "\(expected)/v1/sessions/\(Self.reference)")
    }
  }

  private static let whole = #"""
    {"id": "session-number-1", "orgId": "0f8fad5b-d9cb-469f-a165-70867728950e", "environment": "test", "status": "pending",
     "expiresAt": "2026-08-01T00:00:00Z", "flowName": "Age check", "externalUuid": "user-uuid", "unknown": [1],
     "predicatesConfig": {"minimumAge": 18, "ofac": true, "includedCountries": ["UTO"], "excludedCountries": ["AAA", 7, "BBB"],
       "disclosures": {"fullName": true, "documentNumber": true, "dateOfBirth": true, "gender": true, "nationality": true,
         "expirationDate": true, "issuingState": true, "other": true}}}
    """#

  private static let inline = VerificationRequest(
    userId: "inline", scope: "inline", disclosures: ["inline"], verificationId: "inline", resultType: "proofRequested",
    excludedCountries: ["INL"], userIdType: "hex", userDefinedData: "inline", selfDefinedData: "stays",
    otherMembers: [
      "appName": "inline", "documentTypes": ["p"], "version": 1, "chainID": 42220, "environment": "prod",
      "endpointType": "celo", "appEndpoint": "0x1", "later": [nil],
    ], enterpriseSession: EnterpriseSession(id: reference))

  private static func resolved(_ body: String, status: Int = 200) throws -> VerificationRequest {
    try inline.resolved(status: status, body: Array(body.utf8), now: now)
  }

  @Test("the session's members override those of the request, the others stay")
  func derived() throws {
    let request = try Self.resolved(Self.whole)
    #expect(
      request.json == [
        "userId": "user-uuid", "userIdType": "uuid", "scope": "0f8fad5bd9cb469fa1657086772895",
        "selfDefinedData": "stays",
        "resultType": "proofRequested", "verificationId": "session-number-1",
        "userDefinedData": #"{"verificationId":"session-number-1"}"#, "excludedCountries": ["AAA", "BBB"],
        "disclosures": [
          "minimumAge:18", "ofac", "nationality", "name", "passport_number", "date_of_birth", "gender", "expiry_date",
          "issuing_state",
        ], "appName": "Age check", "appEndpoint": "https://verifier.staging.self.xyz/verify",
        "endpointType": "staging_https", "environment": "stg", "version": 2, "documentTypes": ["p"], "chainID": 42220,
        "later": [nil],
      ])
  }

  @Test("the smallest session, in production")
  func smallest() throws {
    let request = try Self.resolved(#"{"orgId": "a-b", "externalUuid": "u", "status": "pending"}"#)
    #expect(request.verificationId == Self.reference, "the session has no id of its own")
    #expect(request.userDefinedData == #"{"verificationId":"\#(Self.reference)"}"#)
    #expect(request.scope == "ab" && request.disclosures == [] && request.excludedCountries == [])
    let others: JSONObject = [
      "appName": "Self Verification", "appEndpoint": "https://verifier.self.xyz/verify", "endpointType": "https",
      "environment": "prod", "version": 2,
    ]
    for member in others.members { #expect(request.otherMembers[member.name] == member.value, "\(member.name)") }
  }

  @Test(
    "only what is asked for is disclosed",
    arguments: [
      (
        #"{"minimumAge": "18", "ofac": 1, "includedCountries": [], "disclosures": {"fullName": "true", "gender": false}}"#,
        []
      ),
      (#"{"minimumAge": 21.0, "disclosures": {"nationality": true}}"#, ["minimumAge:21", "nationality"]),
      (#"{"includedCountries": ["A"], "disclosures": {"nationality": true}}"#, ["nationality"]),
      (#"{"includedCountries": "A", "disclosures": ["fullName"]}"#, []), ("null", []), ("7", []),
    ] as [(String, [String])])
  func disclosures(_ predicates: String, _ expected: [String]) throws {
    let request = try Self.resolved(
      #"{"orgId": "a", "externalUuid": "u", "status": "pending", "predicatesConfig": \#(predicates)}"#)
    #expect(request.disclosures == expected)
  }

  @Test(
    "a session that gives no request has a code",
    arguments: [
      (404, "{}", .notFound), (404, whole, .notFound), (500, whole, .notResolved), (401, whole, .notResolved),
      (301, whole, .notResolved), (200, "", .notResolved), (200, "no JSON", .notResolved), (200, "[]", .notResolved),
      (200, #"{"externalUuid": "u", "status": "pending"}"#, .notResolved),
      (200, #"{"orgId": 7, "externalUuid": "u", "status": "pending"}"#, .notResolved),
      (200, #"{"orgId": "a", "externalUuid": null, "status": "expired"}"#, .notResolved),
      (200, answer("expired"), .expired), (200, answer("pending", "2026-07-01T00:00:00Z"), .expired),
      (200, answer("pending", "2026-07-01T00:00:00.123Z"), .expired), (200, answer("pending", "2026-07-01"), .expired),
      (200, answer("pending", "2026-07-25T19:19:59+02:00"), .expired),
      (200, answer("completed", "2026-07-01T00:00:00Z"), .expired), (200, answer("completed"), .alreadyProcessed),
      (200, answer("failed"), .alreadyProcessed), (200, answer("PENDING"), .alreadyProcessed),
      (200, #"{"orgId": "a", "externalUuid": "u"}"#, .alreadyProcessed),
    ] as [(Int, String, EnterpriseSessionError)])
  func codes(_ status: Int, _ body: String, _ error: EnterpriseSessionError) {
    #expect(throws: error) { try Self.resolved(body, status: status) }
  }

  private static func answer(_ status: String, _ end: String? = nil) -> String {
    let end = end.map { #", "expiresAt": "\#($0)""# } ?? ""
    return #"{"orgId": "a", "externalUuid": "u", "status": "\#(status)"\#(end)}"#
  }

  @Test(
    "a time that cannot be read sets no limit", arguments: ["soon", "", "2026-13-45T99:00:00Z", "2099-01-01T00:00:00Z"])
  func times(_ time: String) throws { #expect(try Self.resolved(Self.answer("pending", time)).userId == "u") }

  @Test("invalid UTF-8, deep nesting and too long an answer give no request")
  func hostile() {
    let deep = #"{"orgId": "a", "externalUuid": "u", "status": "pending", "x": "# + String(repeating: "[", count: 200)
    for body in [[0xFF], Array(deep.utf8), Array("\(Self.whole)\(String(repeating: " ", count: 1 << 18))".utf8)]
      as [[UInt8]]
    {
      #expect(throws: EnterpriseSessionError.notResolved) {
        try Self.inline.resolved(status: 200, body: body, now: Self.now)
      }
    }
  }

  @Test("the reference reaches the page, and neither its address nor a description")
  func secrecy() throws {
    let request = try Self.resolved(#"{"orgId": "a-b", "externalUuid": "u", "status": "pending"}"#)
    #expect(request.json.text.contains(Self.reference))
    var dumped = "\(request) \(String(reflecting: request))"
    dump(request, to: &dumped)
    dump(request.enterpriseSession, to: &dumped)
    for error in EnterpriseSessionError.allCases { dumped += "\(error) \(error.message) \(LoadProblem(error))" }
    let query = LaunchQuery.text(SelfSdkConfig(), request)
    #expect(!dumped.contains(Self.reference) && !query.contains(Self.reference))
    #expect(query.contains("userId=u") && query.contains("scope=ab") && query.contains("&version=2"))
    #expect(!query.contains("verificationId") && !query.contains("userDefinedData"))
  }

  @Test("the member of a request is read, and one of another form is refused by its name")
  func member() throws {
    func read(_ session: String) throws -> EnterpriseSession? {
      try VerificationRequest(json: JSONValue(text: #"{"scope": "s", "enterpriseSession": \#(session)}"#))
        .enterpriseSession
    }
    #expect(
      try read(#"{"id": "i", "url": "u", "apiUrl": "a", "more": 1}"#)
        == EnterpriseSession(id: "i", url: "u", apiURL: "a"))
    #expect(try read("{}") == EnterpriseSession() && read("null") == nil)
    for (session, name) in [
      ("\"SECRET\"", "enterpriseSession"), (#"{"id": ["SECRET"]}"#, "id"), (#"{"apiUrl": 7}"#, "apiUrl"),
    ] {
      let failure = #expect(throws: Failure.self) { try read(session) }
      #expect(failure?.kind == .usage && failure?.cause.contains(name) == true)
      #expect(failure?.description.contains("SECRET") == false)
    }
    let plain = VerificationRequest(userId: "u")
    #expect(try plain.resolved(status: 500, body: []) == plain, "without a session nothing is resolved")
  }
}
