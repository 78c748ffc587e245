/// A cookie of a session.
package struct ContentCookie: Sendable, Equatable {
  package enum SameSite: Sendable, Equatable {
    case strict
    case lax
    case none
  }

  package var name: String
  package var value: String
  /// The host, or with a leading dot the host and all below it.
  package var domain: String
  package var path: String
  /// In seconds since 1970; nil for a cookie that ends with the session.
  package var expires: Int64?
  package var isSecure: Bool
  package var isHTTPOnly: Bool
  package var sameSite: SameSite

  package init(
    name: String, value: String, domain: String, path: String = "/", expires: Int64? = nil, isSecure: Bool = false,
    isHTTPOnly: Bool = false, sameSite: SameSite = .none
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.path = path
    self.expires = expires
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.sameSite = sameSite
  }
}
