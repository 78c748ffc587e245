import CTesseraWebKitGTK

extension ContentSession {
  private var cookieManager: OpaquePointer? { webkit_network_session_get_cookie_manager(pointer) }

  /// Keeps cookies in a database, which a later session with the same file reads. A session in memory keeps none.
  package func keepCookies(in file: String) {
    webkit_cookie_manager_set_persistent_storage(cookieManager, file, WEBKIT_COOKIE_PERSISTENT_STORAGE_SQLITE)
  }

  /// All cookies.
  package func cookies() async throws -> [ContentCookie] {
    try await PendingResult<[ContentCookie]>.value(within: Self.limit, otherwise: Self.unanswered) { data in
      webkit_cookie_manager_get_all_cookies(cookieManager, nil, AsyncCallback.function, data)
    } finish: { source, result in
      var error: UnsafeMutablePointer<GError>?
      let list = webkit_cookie_manager_get_all_cookies_finish(OpaquePointer(source), result, &error)
      if error != nil { throw ContentFailure.loadFailed(reason: AsyncCallback.message(&error)) }
      var cookies: [ContentCookie] = []
      var next = list
      while let item = next {
        if let data = item.pointee.data {
          cookies.append(ContentCookie(OpaquePointer(data)))
          soup_cookie_free(OpaquePointer(data))
        }
        next = item.pointee.next
      }
      g_list_free(list)
      return cookies
    }
  }

  /// Adds a cookie, or replaces the one with the same name, domain and path.
  package func set(_ cookie: ContentCookie) async throws {
    guard let copy = cookie.soupCookie else {
      throw ContentFailure.loadFailed(reason: "The cookie is invalid: its name, domain and path need texts.")
    }
    defer { soup_cookie_free(copy) }
    try await PendingResult<Void>.value(within: Self.limit, otherwise: Self.unanswered) { data in
      webkit_cookie_manager_add_cookie(cookieManager, copy, nil, AsyncCallback.function, data)
    } finish: { source, result in
      var error: UnsafeMutablePointer<GError>?
      guard webkit_cookie_manager_add_cookie_finish(OpaquePointer(source), result, &error) != 0 else {
        throw ContentFailure.loadFailed(reason: AsyncCallback.message(&error))
      }
    }
  }

  /// Removes a cookie; one that does not exist is no failure.
  package func remove(_ cookie: ContentCookie) async throws {
    guard let copy = cookie.soupCookie else { return }
    defer { soup_cookie_free(copy) }
    try await PendingResult<Void>.value(within: Self.limit, otherwise: Self.unanswered) { data in
      webkit_cookie_manager_delete_cookie(cookieManager, copy, nil, AsyncCallback.function, data)
    } finish: { source, result in
      var error: UnsafeMutablePointer<GError>?
      guard webkit_cookie_manager_delete_cookie_finish(OpaquePointer(source), result, &error) != 0 else {
        throw ContentFailure.loadFailed(reason: AsyncCallback.message(&error))
      }
    }
  }

  /// Removes the cookies that the condition names.
  ///
  /// - Returns: how many.
  package func removeCookies(where isMeant: (ContentCookie) -> Bool) async throws -> Int {
    let meant = try await cookies().filter(isMeant)
    for cookie in meant { try await remove(cookie) }
    return meant.count
  }
}

extension ContentCookie {
  init(_ cookie: OpaquePointer) {
    func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
    let sameSite: SameSite =
      switch soup_cookie_get_same_site_policy(cookie) {
      case SOUP_SAME_SITE_POLICY_STRICT: .strict
      case SOUP_SAME_SITE_POLICY_LAX: .lax
      default: .none
      }
    self.init(
      name: text(soup_cookie_get_name(cookie)), value: text(soup_cookie_get_value(cookie)),
      domain: text(soup_cookie_get_domain(cookie)), path: text(soup_cookie_get_path(cookie)),
      expires: soup_cookie_get_expires(cookie).map { Int64(g_date_time_to_unix($0)) },
      isSecure: soup_cookie_get_secure(cookie) != 0, isHTTPOnly: soup_cookie_get_http_only(cookie) != 0,
      sameSite: sameSite)
  }

  /// A copy for libsoup, which the caller frees; nil if the cookie has no name or domain.
  var soupCookie: OpaquePointer? {
    guard !name.isEmpty, !domain.isEmpty, path.hasPrefix("/"),
      let cookie = soup_cookie_new(name, value, domain, path, -1)
    else { return nil }
    if let expires, let date = g_date_time_new_from_unix_utc(gint64(expires)) {
      soup_cookie_set_expires(cookie, date)
      g_date_time_unref(date)
    }
    soup_cookie_set_secure(cookie, isSecure.gboolean)
    soup_cookie_set_http_only(cookie, isHTTPOnly.gboolean)
    let policy =
      switch sameSite {
      case .strict: SOUP_SAME_SITE_POLICY_STRICT
      case .lax: SOUP_SAME_SITE_POLICY_LAX
      case .none: SOUP_SAME_SITE_POLICY_NONE
      }
    soup_cookie_set_same_site_policy(cookie, policy)
    return cookie
  }
}
