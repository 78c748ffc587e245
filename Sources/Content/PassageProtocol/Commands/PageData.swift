internal import TesseraJSON

/// What a page is and stores (2.8).
package struct PageData: Sendable, Equatable {
  package var cookies: [PageCookie]?
  package var localStorage: [StorageItem]?
  package var sessionStorage: [StorageItem]?
  package var html: String?
  package var url: String?
  /// A data URI.
  package var screenshot: String?

  package init() {}
}

/// One entry of a page's storage.
package struct StorageItem: Sendable, Equatable {
  package var name: String
  package var value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

package struct PageCookie: Sendable, Equatable {
  package enum SameSite: String, Sendable {
    case strict = "Strict"
    case lax = "Lax"
    case none = "None"
  }

  package var name: String
  package var value: String
  /// With a leading dot if it is also for subdomains.
  package var domain: String
  package var path: String?
  /// Seconds since the beginning of 1970.
  package var expires: Int64?
  package var secure: Bool?
  package var httpOnly: Bool?
  package var sameSite: SameSite?

  package init(name: String, value: String, domain: String) {
    self.name = name
    self.value = value
    self.domain = domain
  }
}
