/// A verification session that an organisation has opened at its server. Whoever knows the reference can read the session
/// and, once it is complete, what was disclosed: it appears in no log and no error.
public struct EnterpriseSession: Sendable, Equatable, Redacted {
  /// The server of sessions without `apiURL`.
  public static let standardAPI = "https://edge.dashboard.self.xyz"
  /// The longest answer of a server, in bytes.
  package static let maximumAnswer = 1 << 18

  /// The reference. It outweighs `url`.
  public var id: String?
  /// An address whose last part is the reference, or the reference itself.
  public var url: String?
  /// The https address of the server; nil for `standardAPI`.
  public var apiURL: String?

  public init(id: String? = nil, url: String? = nil, apiURL: String? = nil) {
    self.id = id
    self.url = url
    self.apiURL = apiURL
  }

  /// The reference: 10 to 128 letters and digits of ASCII, `-` and `_`. A UUID is one.
  ///
  /// - Throws: `EnterpriseSessionError.invalidReference`.
  package func reference() throws(EnterpriseSessionError) -> String {
    let text = if let id, !id.isEmpty { id } else { url.map(Self.lastPart) ?? "" }
    let isReference = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard 10...128 ~= text.utf8.count, isReference else { throw .invalidReference }
    return text
  }

  /// The address at which the server describes the session.
  ///
  /// - Throws: `EnterpriseSessionError.invalidReference`.
  package func address() throws(EnterpriseSessionError) -> String {
    let server = if let apiURL, !apiURL.isEmpty { apiURL } else { Self.standardAPI }
    // The characters of a reference need no encoding.
    return "\(server.hasSuffix("/") ? String(server.dropLast()) : server)/v1/sessions/\(try reference())"
  }

  /// The last part of the path of an address; a text that is no address itself. An address begins with a scheme and a colon
  /// (RFC 3986, 3.1), which a reference cannot contain.
  private static func lastPart(_ text: String) -> String {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return text }
    var path = text[text.utf8.index(after: colon)...].prefix { $0 != "?" && $0 != "#" }
    if path.hasPrefix("//") {
      path = path.dropFirst(2)
      path = path.firstIndex(of: "/").map { path[$0...] } ?? ""
    }
    return path.split(separator: "/").last.map(String.init) ?? ""
  }
}

/// Why a session gives no request. The raw value is the code for a program.
public enum EnterpriseSessionError: String, Error, Sendable, CaseIterable {
  case invalidReference = "SESSION_REF_INVALID"
  case notFound = "SESSION_NOT_FOUND"
  case notResolved = "SESSION_RESOLVE_FAILED"
  case expired = "SESSION_EXPIRED"
  case alreadyProcessed = "SESSION_ALREADY_PROCESSED"

  /// What happened, and what the user can do. It contains nothing of the session.
  public var message: String {
    switch self {
    case .invalidReference:
      "The reference of the enterprise session is invalid. Use the session's id, or the address that contains it."
    case .notFound: "The server knows no such enterprise session. Ask for a new one."
    case .notResolved: "The enterprise session could not be read from its server. Try again."
    case .expired: "The enterprise session has expired. Ask for a new one."
    case .alreadyProcessed: "The enterprise session was already used. Ask for a new one."
    }
  }
}
