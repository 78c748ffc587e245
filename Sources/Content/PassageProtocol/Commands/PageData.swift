package import TesseraJSON

/// What a page is and stores (Passage.md, rule 7).
package struct PageData: Sendable, Equatable {
  package var cookies: [PassageCookie]?
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

extension PageData {
  /// The answer when nothing was collected in time.
  static let empty: PageData = {
    var data = PageData()
    (data.cookies, data.localStorage, data.sessionStorage) = ([], [], [])
    return data
  }()

  private static let longestHTML = 8 << 20
  private static let longestScreenshot = 16 << 20
  private static let mostCookies = 3_000
  private static let mostItems = 5_000
  /// Of the names and values of one store, in bytes.
  private static let largestStore = 10 << 20

  /// What may leave the machine.
  ///
  /// - Parameters:
  ///   - domains: the domains whose cookies were asked for.
  ///   - consent: what the user agreed to.
  func limited(to domains: CookieDomains, consent: Consent) -> PageData {
    var data = PageData.empty
    data.cookies = Array(
      (cookies ?? []).lazy.filter {
        domains.contains(cookieDomain: $0.domain) && consent.domains.contains(cookieDomain: $0.domain)
      }.prefix(Self.mostCookies))
    guard let url = url.flatMap({ WebAddress($0) }), consent.contains(url.origin) else { return data }
    data.url = self.url
    data.html = html.flatMap { $0.utf8.count <= Self.longestHTML ? $0 : nil }
    data.localStorage = Self.limited(localStorage)
    data.sessionStorage = Self.limited(sessionStorage)
    data.screenshot = screenshot.flatMap(Self.screenshot)
    return data
  }

  /// The text if it is a picture as a data URI.
  static func screenshot(_ text: String) -> String? {
    text.hasPrefix("data:image/") && text.utf8.count <= longestScreenshot ? text : nil
  }

  private static func limited(_ items: [StorageItem]?) -> [StorageItem] {
    var rest = largestStore
    return Array(
      (items ?? []).prefix(mostItems).prefix { item in
        rest -= item.name.utf8.count + item.value.utf8.count
        return rest >= 0
      })
  }
}

extension PageData {
  package var json: JSONObject {
    var members = JSONObject()
    members["cookies"] = cookies.map { .array($0.map { .object($0.json) }) }
    members["localStorage"] = localStorage.map { .array($0.map(\.json)) }
    members["sessionStorage"] = sessionStorage.map { .array($0.map(\.json)) }
    members["html"] = html.map(JSONValue.string)
    members["url"] = url.map(JSONValue.string)
    members["screenshot"] = screenshot.map(JSONValue.string)
    return members
  }
}

extension StorageItem {
  var json: JSONValue { ["name": .string(name), "value": .string(value)] }
}
