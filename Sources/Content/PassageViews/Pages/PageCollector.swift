internal import PassageProtocol
internal import TesseraJSON
internal import TesseraWebContent

/// What the automation page is and stores (3.6). What cannot be had is left out or empty.
@MainActor
struct PageCollector {
  /// The session waits a second longer for the page data, so that a page that hangs costs it the page and not the cookies.
  private static let patience = Duration.seconds(4)
  let page: PassagePage
  let session: ContentSession

  func collect(_ collection: PageCollection, screenshot: String?) async -> PageData {
    var data = PageData()
    data.screenshot = screenshot
    data.cookies = await cookies(collection.cookies)
    guard collection.includesPage else { return data }
    data.localStorage = []
    data.sessionStorage = []
    let text = try? await page.view.callAsync(
      PageScripts.collect, in: .named(PageScripts.world), within: Self.patience)
    guard let text, let inner = (try? JSONValue(text: text))?.stringValue, let found = try? JSONValue(text: inner)
    else { return data }
    data.url = found["url"]?.stringValue
    data.html = found["html"]?.stringValue
    data.localStorage = Self.entries(found["localStorage"])
    data.sessionStorage = Self.entries(found["sessionStorage"])
    return data
  }

  private func cookies(_ domains: CookieDomains) async -> [PageCookie] {
    guard let all = try? await session.cookies() else { return [] }
    return all.filter { domains.contains(cookieDomain: $0.domain) }.map(PageCookie.init)
  }

  private static func entries(_ value: JSONValue?) -> [StorageItem] {
    guard case .array(let elements)? = value else { return [] }
    return elements.compactMap { element in
      guard let name = element["name"]?.stringValue, let value = element["value"]?.stringValue else { return nil }
      return StorageItem(name: name, value: value)
    }
  }
}

extension PageCookie {
  init(_ cookie: ContentCookie) {
    self.init(name: cookie.name, value: cookie.value, domain: cookie.domain)
    path = cookie.path
    expires = cookie.expires
    secure = cookie.isSecure
    httpOnly = cookie.isHTTPOnly
    sameSite =
      switch cookie.sameSite {
      case .strict: .strict
      case .lax: .lax
      case .none: SameSite.none
      }
  }

  /// The cookie for a web profile.
  var content: ContentCookie {
    let rule: ContentCookie.SameSite =
      switch sameSite {
      case .strict: .strict
      case .lax: .lax
      case SameSite.none?, nil: .none
      }
    return ContentCookie(
      name: name, value: value, domain: domain, path: path ?? "/", expires: expires, isSecure: secure ?? false,
      isHTTPOnly: httpOnly ?? false, sameSite: rule)
  }
}
