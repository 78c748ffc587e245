extension PageData {
  /// The answer when nothing was collected in time (3.6).
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
  ///   - consent: what the person agreed to.
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
