package import TesseraJSON

extension HostRequest.Call {
  /// The type of the message with this call.
  var name: String {
    switch self {
    case .close: "close"
    case .navigate: "navigate"
    case .goBack: "goBack"
    case .goForward: "goForward"
    case .cookies: "getCookies"
    case .setCookie: "setCookie"
    case .clearCookies: "clearCookies"
    case .clearCookiesOfDomains: "clearCookiesForDomains"
    case .clearAllCookies: "clearAllCookies"
    case .clearWebViewState: "clearWebViewState"
    case .clearWebViewData: "clearWebViewData"
    case .resetWebViewURLs: "resetWebViewURLs"
    case .releaseResources: "releaseResources"
    case .injectJavaScript: "injectJavaScript"
    case .completeRecording: "completeRecording"
    case .captureRecordingData: "captureRecordingData"
    }
  }
}

extension HostRequest {
  init(_ type: String, _ json: JSONValue) throws(HostMessageError) {
    let call = try Call(type, json)
    guard case .integer(let number)? = json["id"], number >= 0, let id = Int(exactly: number) else {
      throw .wrong("id")
    }
    self.init(id: id, call)
  }
}

extension HostRequest.Call {
  /// The most domains of one call, and the longest one in bytes (RFC 1035, 2.3.4).
  private static let (maximumDomains, maximumDomain) = (1_000, 255)
  private static let maximumAddress = 65_536

  fileprivate init(_ type: String, _ json: JSONValue) throws(HostMessageError) {
    self =
      switch type {
      case "close": .close
      case "navigate": .navigate(try Self.address(json))
      case "goBack": .goBack
      case "goForward": .goForward
      case "getCookies": .cookies(of: try Self.address(json))
      case "setCookie": .setCookie(try Self.cookie(json), for: try Self.address(json))
      case "clearCookies": .clearCookies(of: try Self.address(json))
      case "clearCookiesForDomains": .clearCookiesOfDomains(try Self.domains(json))
      case "clearAllCookies": .clearAllCookies
      case "clearWebViewState": .clearWebViewState
      case "clearWebViewData": .clearWebViewData
      case "resetWebViewURLs": .resetWebViewURLs
      case "releaseResources": .releaseResources
      case "injectJavaScript": .injectJavaScript(try Self.text("script", json), try Self.view(json))
      case "completeRecording": .completeRecording(json["data"] ?? .null)
      case "captureRecordingData": .captureRecordingData(json["data"] ?? .null)
      default: throw .unknownType
      }
  }

  private static func text(_ name: String, _ json: JSONValue) throws(HostMessageError) -> String {
    guard let value = json[name] else { throw .missing(name) }
    guard let text = value.stringValue else { throw .wrong(name) }
    return text
  }

  private static func address(_ json: JSONValue) throws(HostMessageError) -> String {
    let address = try text("url", json)
    guard address.utf8.count <= maximumAddress else { throw .tooLong("url") }
    return address
  }

  private static func view(_ json: JSONValue) throws(HostMessageError) -> PassageView {
    guard let view = PassageView(rawValue: try text("webViewType", json)) else { throw .wrong("webViewType") }
    return view
  }

  private static func domains(_ json: JSONValue) throws(HostMessageError) -> [String] {
    guard case .array(let elements)? = json["domains"] else { throw .wrong("domains") }
    guard elements.count <= maximumDomains else { throw .tooLong("domains") }
    var domains: [String] = []
    for element in elements {
      guard let domain = element.stringValue, domain.utf8.count <= maximumDomain else { throw .wrong("domains") }
      domains.append(domain)
    }
    return domains
  }

  private static func cookie(_ json: JSONValue) throws(HostMessageError) -> PassageCookie {
    guard let value = json["cookie"] else { throw .missing("cookie") }
    guard let cookie = PassageCookie(hostJSON: value) else { throw .wrong("cookie") }
    return cookie
  }
}

extension PassageCookie {
  /// All members that a cookie has.
  package var hostJSON: JSONValue { .object(json) }

  /// - Returns: nil if the name, the value or the domain is missing, or a member has a wrong type.
  package init?(hostJSON json: JSONValue) {
    guard let name = json["name"]?.stringValue, let value = json["value"]?.stringValue,
      let domain = json["domain"]?.stringValue
    else { return nil }
    self.init(name: name, value: value, domain: domain)
    for member in ["path", "expires", "secure", "httpOnly", "sameSite"] {
      switch (member, json[member]) {
      case (_, nil): break
      case ("path", .string(let text)?): path = text
      case ("expires", .integer(let seconds)?): expires = seconds
      case ("secure", .bool(let isSet)?): secure = isSet
      case ("httpOnly", .bool(let isSet)?): httpOnly = isSet
      case ("sameSite", .string(let text)?):
        guard let rule = SameSite(rawValue: text) else { return nil }
        sameSite = rule
      default: return nil
      }
    }
  }
}
