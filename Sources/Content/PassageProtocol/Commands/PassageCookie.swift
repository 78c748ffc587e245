package import TesseraCore
package import TesseraJSON

/// A cookie of the web profile of Passage, which no other program shares.
public struct PassageCookie: Sendable, Equatable {
  public enum SameSite: String, Sendable, CaseIterable {
    case strict = "Strict"
    case lax = "Lax"
    case none = "None"
  }

  public var name: String
  public var value: String
  /// With a leading dot if the cookie is also for subdomains.
  public var domain: String
  public var path: String?
  /// Seconds since the beginning of 1970 (UTC); nil for a cookie of the session.
  public var expires: Int64?
  public var secure: Bool?
  public var httpOnly: Bool?
  public var sameSite: SameSite?

  public init(
    name: String, value: String, domain: String, path: String? = nil, expires: Int64? = nil, secure: Bool? = nil,
    httpOnly: Bool? = nil, sameSite: SameSite? = nil
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.path = path
    self.expires = expires
    self.secure = secure
    self.httpOnly = httpOnly
    self.sameSite = sameSite
  }
}

extension PassageCookie {
  package var json: JSONObject {
    var members: JSONObject = ["name": .string(name), "value": .string(value), "domain": .string(domain)]
    members["path"] = path.map(JSONValue.string)
    members["expires"] = expires.map(JSONValue.integer)
    members["secure"] = secure.map(JSONValue.bool)
    members["httpOnly"] = httpOnly.map(JSONValue.bool)
    members["sameSite"] = sameSite.map { .string($0.rawValue) }
    return members
  }

  /// Whether a page at this address may have the cookie. Without a domain it is one of the address's host.
  package func isMeant(for url: String) -> Bool {
    guard let address = WebAddress(url) else { return false }
    return domain.isEmpty || CookieDomains([domain]).contains(host: address.host)
  }

  package static let notOfAddress = Failure(
    .usage, "The cookie's domain is not one for this address.",
    remedy: "Use the address's host, or one of its parents with a leading dot, and an address of https or http.")
}
