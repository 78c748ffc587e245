import TesseraBridge
import TesseraWebContent

/// Cookies and data of a session. Arguments: the port of `site.py`, and a folder.
@MainActor
enum Cookies {
  static func run(_ arguments: [String]) async throws {
    let folder = arguments.count > 1 ? arguments[1] : "/proc/nonexistent"
    let session = ContentSession(folder: folder)
    session.keepCookies(in: "\(folder)/cookies.sqlite")
    let one = SiteView(arguments, session: session)
    try await one.show("/plain.html?keep=this")
    let cookies = [
      ContentCookie(
        name: "sid", value: "x1", domain: ".shop.example", expires: 1_893_456_000, isSecure: true, isHTTPOnly: true,
        sameSite: .lax),
      ContentCookie(name: "here", value: "x2", domain: "shop.example", path: "/account", sameSite: .strict),
      ContentCookie(name: "sid", value: "x3", domain: "other.example", expires: 1_893_456_000),
    ]
    for cookie in cookies { try await session.set(cookie) }
    func observeCookies(_ name: String, of session: ContentSession) async throws {
      let all = try await session.cookies().map { cookie in
        "\(cookie.name)=\(cookie.value) \(cookie.domain) \(cookie.path) \(cookie.expires.map(String.init) ?? "session")"
          + " \(cookie.isSecure) \(cookie.isHTTPOnly) \(cookie.sameSite)"
      }
      observe(name, .array(all.sorted().map(JSONValue.string)))
    }
    try await observeCookies("set", of: session)
    var changed = cookies[2]
    changed.value = "x4"
    try await session.set(changed)
    try await observeCookies("replaced", of: session)
    observe(
      "removed", .integer(Int64(try await session.removeCookies { $0.domain.hasSuffix("shop.example") })))
    try await observeCookies("left", of: session)
    do {
      try await session.set(ContentCookie(name: "", value: "", domain: "a.example"))
      observe("invalid", "no error")
    } catch { observe("invalid", "error") }
    observe("storage", .string(try await one.view.evaluate("localStorage.getItem('kept')") ?? ""))
    try await session.clear(.cookies)
    try await observeCookies("cleared", of: session)
    observe("storage after the cookies", .string(try await one.view.evaluate("localStorage.getItem('kept')") ?? ""))
    try await session.set(cookies[2])
    try await session.clear(.storage)
    try await one.show("/plain.html")
    observe("storage cleared", .string(try await one.view.evaluate("localStorage.getItem('kept')") ?? ""))
    one.close()
    let other = ContentSession()
    try await observeCookies("another session", of: other)
  }

  /// What a later process finds in the folder.
  static func runAgain(_ arguments: [String]) async throws {
    let folder = arguments.count > 1 ? arguments[1] : "/proc/nonexistent"
    let session = ContentSession(folder: folder)
    session.keepCookies(in: "\(folder)/cookies.sqlite")
    observe("found", .array(try await session.cookies().map { .string("\($0.name)=\($0.value)") }))
  }
}
