internal import PassageProtocol
internal import TesseraCore
internal import TesseraJSON
internal import TesseraWebContent

/// What the automation page is and stores (Passage.md, rule 7). What cannot be had is left out or empty.
@MainActor
struct PageCollector {
  /// The session waits a second longer for the page data, so that a page that hangs costs it the page and not the
  /// cookies.
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

  private func cookies(_ domains: CookieDomains) async -> [PassageCookie] {
    guard let all = try? await session.cookies() else { return [] }
    return all.filter { domains.contains(cookieDomain: $0.domain) }.map(PassageCookie.init)
  }

  private static func entries(_ value: JSONValue?) -> [StorageItem] {
    guard case .array(let elements)? = value else { return [] }
    return elements.compactMap { element in
      guard let name = element["name"]?.stringValue, let value = element["value"]?.stringValue else { return nil }
      return StorageItem(name: name, value: value)
    }
  }
}

extension PassageCookie {
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

/// The scripts of the two views. Each file is the body of a function.
enum PageScripts {
  /// The script world of the program in the automation view. Pages do not see what is in it.
  static let world = "passage"
  /// The name of the message handler.
  static let handler = "passageWebView"
  /// The longest HTML and the longest storage that are collected, in UTF-16 code units.
  private static let (maximumHTML, maximumStorage) = (4 << 20, 1 << 20)

  /// The page object of the UI page.
  static let service = function(PackageResources.service_js)
  /// Before the configuration's global script.
  static let tolerance = function(PackageResources.global_js)

  /// The page object for scripts of the server.
  ///
  /// - Parameter event: a secret name.
  static func site(historyEvent event: String) -> String {
    function(PackageResources.site_js, "const historyEvent = \(ScriptLiteral.quote(event));")
  }

  /// Reports calls of the page's history, in the world of the page.
  static func history(historyEvent event: String) -> String {
    function(PackageResources.history_js, "const historyEvent = \(ScriptLiteral.quote(event));")
  }

  /// The body of an asynchronous function that returns what a page is and stores, as JSON.
  static let collect =
    "\"use strict\";\nconst maximumHTML = \(maximumHTML), maximumStorage = \(maximumStorage);\n"
    + String(decoding: PackageResources.collect_js, as: UTF8.self)

  /// The body of an asynchronous function that runs a script of a server as an expression, and returns its value as
  /// JSON in a member `value`, or what it threw in `error`. A script that is no expression is not run at all: the
  /// engine refuses it with a syntax error.
  static func expression(_ script: String) -> String {
    var text = Substring(script)
    while let last = text.last, last.isWhitespace || last == ";" { text.removeLast() }
    return """
      let value;
      try { value = await (\(text)
      ); } catch (error) { return JSON.stringify({error: String(error)}); }
      try { return JSON.stringify({value}); } catch { return "{}"; }
      """
  }

  private static func function(_ bytes: [UInt8], _ constants: String = "") -> String {
    "(() => {\n\"use strict\";\n\(constants)\n\(String(decoding: bytes, as: UTF8.self))})();"
  }
}
