import CTesseraWebKitGTK

extension ContentSession {
  /// What a session keeps of the pages that it showed.
  package struct Data: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let cookies = Data(rawValue: 1)
    /// What pages store themselves: local and session storage, databases, service workers.
    package static let storage = Data(rawValue: 2)
    package static let cache = Data(rawValue: 4)
    package static let all: Data = [.cookies, .storage, .cache]
  }

  /// How long WebKit may take with cookies and data.
  static let limit = Duration.seconds(10)
  static let unanswered = ContentFailure.loadFailed(
    reason: "WebKit did not do within \(limit.components.seconds) seconds what was asked.")

  /// Removes data of all pages.
  ///
  /// - Throws: `ContentFailure` if WebKit fails, or takes longer than 10 seconds.
  package func clear(_ data: Data) async throws {
    var types: UInt32 = 0
    if data.contains(.cookies) { types |= WEBKIT_WEBSITE_DATA_COOKIES.rawValue }
    if data.contains(.storage) {
      for type in [
        WEBKIT_WEBSITE_DATA_SESSION_STORAGE, WEBKIT_WEBSITE_DATA_LOCAL_STORAGE,
        WEBKIT_WEBSITE_DATA_INDEXEDDB_DATABASES,
        WEBKIT_WEBSITE_DATA_OFFLINE_APPLICATION_CACHE, WEBKIT_WEBSITE_DATA_SERVICE_WORKER_REGISTRATIONS,
        WEBKIT_WEBSITE_DATA_DOM_CACHE,
      ] { types |= type.rawValue }
    }
    if data.contains(.cache) {
      types |= WEBKIT_WEBSITE_DATA_MEMORY_CACHE.rawValue | WEBKIT_WEBSITE_DATA_DISK_CACHE.rawValue
    }
    let manager = webkit_network_session_get_website_data_manager(pointer)
    try await PendingResult<Void>.value(within: Self.limit, otherwise: Self.unanswered) { data in
      webkit_website_data_manager_clear(
        manager, WebKitWebsiteDataTypes(rawValue: types), 0, nil, AsyncCallback.function, data)
    } finish: { source, result in
      var error: UnsafeMutablePointer<GError>?
      guard webkit_website_data_manager_clear_finish(OpaquePointer(source), result, &error) != 0 else {
        throw ContentFailure.loadFailed(reason: AsyncCallback.message(&error))
      }
    }
  }
}
