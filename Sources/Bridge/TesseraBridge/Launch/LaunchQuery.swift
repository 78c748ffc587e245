public import TesseraCore

/// The query of the start address: configuration and verification request (the bridge protocol, section Launch).
public enum LaunchQuery {
  /// Returns `name=value&…` without the question mark. Absent values are omitted. So are `verificationId` and
  /// `userDefinedData` of a request with an enterprise session: they contain its identifier, with which everyone can read
  /// what is disclosed, and servers log addresses. The page has them from `getConfig`.
  ///
  /// - Parameter referenceId: the identifier of the launch.
  public static func text(
    _ config: SelfSdkConfig, _ request: VerificationRequest, referenceId: String? = nil
  ) -> String {
    let isSession = request.enterpriseSession != nil
    // What the request says itself, the configuration does not replace.
    func member(_ name: String) -> String? { request.otherMembers[name].flatMap(text) }
    var fields: [(String, String?)] = [
      ("endpoint", config.endpoint),
      ("appEndpoint", member("appEndpoint") ?? config.appEndpoint ?? config.endpoint),
      ("environment", member("environment") ?? config.environment.rawValue),
      ("version", member("version") ?? String(config.version)),
      ("appName", member("appName") ?? config.appName),
      ("endpointType", member("endpointType") ?? config.endpointType),
      ("chainID", member("chainID") ?? config.chainID.map { String($0) }),
      ("verificationId", isSession ? nil : request.verificationId),
      ("userId", request.userId),
      ("scope", request.scope),
      ("disclosures", list(request.disclosures)),
      ("resultType", request.resultType),
      ("excludedCountries", list(request.excludedCountries)),
      ("userIdType", request.userIdType),
      ("userDefinedData", isSession ? nil : request.userDefinedData),
      ("selfDefinedData", request.selfDefinedData),
    ]
    fields += ["proofItems", "documentType", "documentTypes", "ids", "timestamp"].map { ($0, member($0)) }
    fields.append(("referenceId", referenceId))
    return fields.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }.joined(separator: "&")
  }

  /// The members of a request as the React Native SDK writes them into the address of its page: in its order, without
  /// absent and empty ones, and without those that `text` leaves out.
  package static func members(
    of request: VerificationRequest, referenceId: String?
  ) -> [(name: String, value: String)] {
    guard case .object(var members) = request.json else { return [] }
    members["referenceId"] = referenceId.map(JSONValue.string)
    if request.enterpriseSession != nil {
      members["verificationId"] = nil
      members["userDefinedData"] = nil
    }
    return [
      "referenceId", "userId", "scope", "disclosures", "excludedCountries", "proofItems", "documentType",
      "documentTypes", "ids", "appName", "appEndpoint", "environment", "endpointType", "version", "chainID",
      "verificationId", "userDefinedData", "selfDefinedData", "userIdType", "timestamp",
    ].compactMap { name in members[name].flatMap(text).map { (name, $0) } }
  }

  /// Percent-encodes `% & = + #` and space; all client generations read other characters unchanged.
  package static func encoded(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "%": text += "%25"
      case "&": text += "%26"
      case "=": text += "%3D"
      case "+": text += "%2B"
      case " ": text += "%20"
      case "#": text += "%23"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// A text, a number, or texts joined by commas; nil for anything else, and if it is empty.
  private static func text(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text.isEmpty ? nil : text
    case .integer, .number: value.text
    case .array(let items): list(items.compactMap(\.stringValue))
    default: nil
    }
  }

  private static func list(_ items: [String]) -> String? { items.isEmpty ? nil : items.joined(separator: ",") }
}

/// What a launch shows.
public enum LaunchContent: Sendable {
  /// Content that is part of the program. It has the rights of the program.
  case bundled(BundledContent)
  /// The page at an https address; in a debug launch, also at an http address of this machine.
  case address(String, isDebug: Bool = false)
  /// The web content of the wallet, at the addresses of a configuration.
  case wallet(SelfSdkConfig)

  /// - Parameters:
  ///   - request: what is to be verified.
  ///   - referenceId: the identifier of the launch.
  /// - Returns: the address of the start page, with the request as its query where the content reads it there.
  /// - Throws: `Failure` of the kind `usage` for an address that must not be shown.
  public func startAddress(
    _ request: VerificationRequest?, referenceId: String? = nil
  ) throws(Failure) -> String {
    switch self {
    case .bundled(let content): return content.address()
    case .address(let address, let isDebug):
      guard let origin = WebOrigin(url: address), origin.scheme == .https || (isDebug && origin.isLoopback) else {
        throw Failure(
          .usage, "The address of the page is not an https address.",
          remedy: isDebug
            ? "Use an https address, or an http address of this machine such as http://127.0.0.1:5173."
            : "Use an https address; --debug also allows http addresses of this machine.")
      }
      return address
    case .wallet(let config):
      return try ContentPolicy(config).startURL(
        query: LaunchQuery.text(config, request ?? VerificationRequest(), referenceId: referenceId))
    }
  }
}
