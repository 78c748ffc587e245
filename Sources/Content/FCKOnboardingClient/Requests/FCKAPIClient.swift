internal import FCKOnboardingFlow
public import TesseraHTTPClient
public import TesseraJSON

/// The three requests of the onboarding server (NativeScreens.md, rule 1). It stores nothing.
public struct FCKAPIClient: Sendable {
  /// The version of the protocol, which requests carry.
  public static let sdkVersion = "1.0.0"
  /// The bytes of the longest name of a placement.
  public static let maximumPlacement = 64
  private static let maximumProperties = 4 << 10
  private static let replyLimit = 64 << 10

  let configuration: FCKConfiguration
  let transport: any HTTPTransport
  let system: SystemInfo

  /// Who asks. One of both identifiers is needed.
  public struct Identity: Sendable, Equatable {
    public var userId: String?
    public var deviceId: String?

    public init(userId: String? = nil, deviceId: String? = nil) {
      self.userId = userId
      self.deviceId = deviceId
    }

    /// The answer to a request without any, which is not sent.
    static let missing = APIError.serverError(400, "userId or deviceId is required")

    fileprivate var isMissing: Bool { (userId ?? "").isEmpty && (deviceId ?? "").isEmpty }
  }

  /// The answer to a request for a placement.
  public enum PlacementAnswer: Sendable, Equatable {
    /// The response with the entity tag of the request is still valid.
    case notModified
    /// `body` is what the server sent.
    case placement(PlacementResponse, body: [UInt8], entityTag: String?)
  }

  public init(
    _ configuration: FCKConfiguration, transport: any HTTPTransport = HTTPSClient(), system: SystemInfo = .current
  ) {
    self.configuration = configuration
    self.transport = transport
    self.system = system
  }

  // MARK: - Placements

  /// Asks for the flow of a placement.
  ///
  /// - Parameters:
  ///   - userProperties: those that the configuration does not name are not sent.
  ///   - entityTag: that of a response which the caller has.
  /// - Throws: `APIError`, or `CancellationError`.
  public func placement(
    _ name: String = "main", for identity: Identity, userProperties: JSONObject = [:], entityTag: String? = nil
  ) async throws -> PlacementAnswer {
    var problems: [FlowProblem] = []
    return try await placement(
      name, for: identity, userProperties: userProperties, entityTag: entityTag, problems: &problems)
  }

  /// - Parameter problems: receives what was left out of the flow.
  func placement(
    _ name: String, for identity: Identity, userProperties: JSONObject, entityTag: String?,
    problems: inout [FlowProblem]
  ) async throws -> PlacementAnswer {
    guard !identity.isMissing else { throw Identity.missing }
    let properties = declared(userProperties)
    var request = HTTPRequest(
      try placementAddress(name, identity, properties), sizeLimit: FlowConfigLimits.documentSize,
      timeLimit: configuration.requestTimeout)
    request.headers = headers
    request.entityTag = entityTag
    let response = try await response(to: request)
    if response.isNotModified, entityTag != nil { return .notModified }
    try check(response, private: privateTexts(identity, properties))
    let placement = try PlacementResponse(response.body, problems: &problems)
    return .placement(placement, body: response.body, entityTag: HeaderText.usable(response.entityTag))
  }

  /// The address of the request for a placement.
  ///
  /// - Throws: `APIError.invalidURL`
  func placementAddress(
    _ name: String, _ identity: Identity, _ properties: JSONObject
  ) throws(APIError) -> HTTPSAddress {
    // A client removes these two from a path (RFC 3986, 5.2.4).
    guard Self.isPlacement(name) else { throw .invalidURL }
    var query: [String] = []
    func add(_ name: String, _ value: String?) {
      if let value, !value.isEmpty { query.append("\(name)=\(PercentEncoding.component(value))") }
    }
    add("userId", identity.userId)
    add("deviceId", identity.deviceId)
    if !properties.isEmpty {
      let text = JSONValue.object(properties).text
      guard text.utf8.count <= Self.maximumProperties else { throw .invalidURL }
      add("userProperties", text)
    }
    return try address("placement/\(PercentEncoding.component(name))?\(query.joined(separator: "&"))")
  }

  /// Whether the text can be the name of a placement: it has 1 to 64 bytes and is a step of a path.
  static func isPlacement(_ name: String) -> Bool {
    1...maximumPlacement ~= name.utf8.count && name != "." && name != ".."
  }

  /// The properties that the configuration names.
  func declared(_ properties: JSONObject) -> JSONObject {
    properties.members.reduce(into: JSONObject()) { declared, member in
      if configuration.userProperties.contains(member.name) { declared[member.name] = member.value }
    }
  }

  // MARK: - Completions and events

  /// Where reports go.
  enum Report: String, Sendable {
    case completion
    case event

    fileprivate var path: String {
      switch self {
      case .completion: "completion"
      case .event: "events"
      }
    }
  }

  /// Reports that the user has finished a flow.
  ///
  /// - Throws: `APIError`, or `CancellationError`.
  public func complete(_ completion: CompletionRequest) async throws {
    try await send(completion.json, as: .completion, id: nil)
  }

  /// Reports an event.
  ///
  /// - Throws: `APIError`, or `CancellationError`.
  public func track(_ event: EventRequest) async throws { try await send(event.json, as: .event, id: nil) }

  /// - Parameter id: the same for each attempt to send one report, so that a server can drop a second copy: one whose
  ///   answer was lost is sent again.
  func send(_ body: JSONObject, as report: Report, id: String?) async throws {
    if report == .completion {
      guard
        !Identity(userId: body["userId"]?.stringValue, deviceId: body["deviceId"]?.stringValue).isMissing
      else { throw Identity.missing }
    }
    var request = HTTPRequest(
      try address(report.path), sizeLimit: Self.replyLimit, timeLimit: configuration.requestTimeout)
    request.method = .post(Array(JSONValue.object(body).text.utf8), type: "application/json")
    request.headers = headers
    if let id { request.headers.append(("Idempotency-Key", id)) }
    request.redirects = .none
    let response = try await response(to: request)
    if report == .event, response.isSuccess { return }
    // The text of the answer could repeat the user's answers.
    try check(response, private: nil)
  }

  // MARK: - Support

  private func address(_ path: String) throws(APIError) -> HTTPSAddress {
    do { return try HTTPSAddress("\(configuration.base())/api/sdk/\(path)") } catch { throw .invalidURL }
  }

  var headers: [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = [
      ("X-API-Key", configuration.apiKey), ("X-Environment", configuration.environment.rawValue),
      ("X-SDK-Version", Self.sdkVersion), ("X-Platform", SystemInfo.platform),
      ("X-Device-Model", HeaderText.usable(system.deviceModel) ?? "unknown"),
      ("X-OS-Version", HeaderText.usable(system.osVersion) ?? "unknown"),
    ]
    if let version = HeaderText.usable(configuration.appVersion) { headers.append(("X-App-Version", version)) }
    if let build = HeaderText.usable(configuration.appBuild) { headers.append(("X-App-Build", build)) }
    return headers
  }

  private func response(to request: HTTPRequest) async throws -> HTTPResponse {
    guard HeaderText.isValue(configuration.apiKey) else { throw APIError.serverError(401, "Invalid API key") }
    do { return try await transport.response(to: request) } catch {
      try Task.checkCancellation()
      guard let error = error as? HTTPError else { throw error }
      switch error {
      case .invalidAddress, .notHTTPS: throw APIError.invalidURL
      default: throw APIError.networkError(error)
      }
    }
  }

  /// - Parameter texts: what the text of an error must not contain; nil for no text.
  private func check(_ response: HTTPResponse, private texts: [String]?) throws(APIError) {
    switch response.status {
    case 200: return
    case 401: throw .serverError(401, "Invalid API key")
    case 404: throw .noActiveFlow
    case 429: throw .usageLimitExceeded
    default:
      throw .serverError(response.status, texts.map { ServerText.short(response.body, private: $0) } ?? "")
    }
  }

  private func privateTexts(_ identity: Identity, _ properties: JSONObject) -> [String] {
    var texts = [configuration.apiKey, identity.userId ?? "", identity.deviceId ?? ""]
    var rest = properties.members.map(\.value)
    while let value = rest.popLast() {
      switch value {
      case .string(let text): texts.append(text)
      case .array(let elements): rest += elements
      case .object(let object): rest += object.members.map(\.value)
      case .integer, .number: texts.append(value.text)
      case .null, .bool: break
      }
    }
    return texts
  }
}

/// Texts that can be the value of a header (RFC 9110, 5.5).
enum HeaderText {
  private static let maximumLength = 1_024

  /// Whether the text has visible characters of ASCII only.
  static func isValue(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= maximumLength && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
  }

  /// The text if it has visible characters of ASCII and spaces between them only; otherwise nil.
  static func usable(_ text: String?) -> String? {
    guard let text, let first = text.utf8.first, let last = text.utf8.last, first != 0x20, last != 0x20,
      text.utf8.count <= maximumLength, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 })
    else { return nil }
    return text
  }
}
