import TesseraBridge
import TesseraHTTPClient
import TesseraThreads
import TesseraWindow

/// Requests with an enterprise session, whose server is a script.
@MainActor
enum Sessions {
  private final class Server: HTTPTransport {
    let asked = Locked<[HTTPRequest]>([])
    private let answer: Result<HTTPResponse, HTTPError>

    init(_ answer: Result<HTTPResponse, HTTPError>) { self.answer = answer }

    func response(to request: HTTPRequest) async throws -> HTTPResponse {
      asked.withLock { $0.append(request) }
      return try answer.get()
    }
  }

  private static let reference = "the-session-reference"

  static func run(_ arguments: [String]) async throws {
    func body(_ status: String) -> Result<HTTPResponse, HTTPError> {
      let text = #"""
        {"id": "\#(reference)", "orgId": "o-r-g", "externalUuid": "u", "status": "\#(status)", "flowName": "Flow",
         "predicatesConfig": {"minimumAge": 18}}
        """#
      return .success(HTTPResponse(status: 200, body: Array(text.utf8)))
    }
    let session = EnterpriseSession(id: reference, apiURL: "https://sessions.example/")
    try await launch("pending", body("pending"), session)
    try await launch("completed", body("completed"), session)
    try await launch("unknown", .success(HTTPResponse(status: 404)), session)
    try await launch("broken", .success(HTTPResponse(status: 500)), session)
    try await launch("offline", .failure(.offline), session)
    try await launch("redirect", .failure(.redirect(.otherHost("\(reference).example"))), session)
    try await launch("http", body("pending"), EnterpriseSession(id: reference, apiURL: "http://sessions.example"))
    try await launch("no reference", body("pending"), EnterpriseSession(id: "no reference"))
  }

  private static func launch(
    _ name: String, _ answer: Result<HTTPResponse, HTTPError>, _ session: EnterpriseSession
  ) async throws {
    let server = Server(answer)
    // The page states what it was given as its result.
    var configuration = LaunchConfiguration(
      content: .bundled(
        Endings.page(
          """
          ask('lifecycle', 'ready', {});
          ask('lifecycle', 'getConfig').then((answer) => ask('lifecycle', 'setResult', {
            success: true, claims: {got: answer.data.verificationRequest, address: location.href,
              reference: typeof answer.data.referenceId}}));
          """)))
    let stages = Locked<[JSONValue]>([])
    configuration.onLoadProgress = { progress in
      stages.withLock { $0.append(.string("\(progress.stage.rawValue) \(progress.problem?.detail.first ?? "")")) }
    }
    let registry = SdkProviderRegistry()
    let sdk = SelfSdk(
      configuration, registry, MessageRouter(handlers: MessageRouter.standardHandlers(registry: registry)))
    sdk.sessions = EnterpriseResolver(transport: server)
    let request = VerificationRequest(userId: "inline", disclosures: ["name"], enterpriseSession: session)
    var seen: JSONObject = [:]
    do throws(LaunchError) {
      let result = try await sdk.launch(request)
      seen["claims"] = result.claims.map(JSONValue.object)
    } catch {
      if case .failed(let problem) = error {
        seen["code"] = .string(problem.code)
        seen["message"] = .string(problem.message)
      }
    }
    seen["stages"] = .array(stages.withLock { $0 })
    seen["asked"] = .array(
      server.asked.withLock { asked in
        asked.map { .string("\($0.address.text) \($0.headers.count) \($0.timeLimit.components.seconds)") }
      })
    observe(name, .object(seen))
  }
}

extension JSONObject {
  /// The first member as text.
  fileprivate var first: String? { members.first.map { "\($0.name) \($0.value.stringValue ?? $0.value.text)" } }
}
