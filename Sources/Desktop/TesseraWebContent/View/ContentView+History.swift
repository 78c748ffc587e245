import CTesseraWebKitGTK
import TesseraThreads

extension ContentView {
  /// The number of pages before the present one.
  package var backCount: Int { count(webkit_back_forward_list_get_back_list(history)) }
  package var forwardCount: Int { count(webkit_back_forward_list_get_forward_list(history)) }

  /// Goes to the page from which the user went back.
  ///
  /// - Returns: whether there is one.
  package func goForward() -> Bool {
    guard webkit_web_view_can_go_forward(webView) != 0 else { return false }
    webkit_web_view_go_forward(webView)
    return true
  }

  /// Ends the load; what has arrived stays.
  package func stopLoading() { webkit_web_view_stop_loading(webView) }
  package func reload() { webkit_web_view_reload(webView) }
  package var isLoading: Bool { webkit_web_view_is_loading(webView) != 0 }

  /// What the view tells servers of itself. The empty text is the engine's own.
  package var userAgent: String {
    get {
      webkit_settings_get_user_agent(webkit_web_view_get_settings(webView)).map { String(cString: $0) } ?? ""
    }
    set { webkit_settings_set_user_agent(webkit_web_view_get_settings(webView), newValue.isEmpty ? nil : newValue) }
  }

  private var history: OpaquePointer? { webkit_web_view_get_back_forward_list(webView) }

  private func count(_ list: UnsafeMutablePointer<GList>?) -> Int {
    defer { g_list_free(list) }
    return Int(g_list_length(list))
  }
}

extension ContentView {
  /// Waits until the page has run everything that was sent to it, at most for this time: a page that hangs must not
  /// hold up its window.
  public func settle(atMost limit: Duration = .seconds(1)) async {
    // Before the first page nothing was sent. An evaluation would wait for a process that starts, and if the view is
    // closed before, WebKit keeps it and its session for ever.
    guard hasCommitted else { return }
    _ = try? await withTimeLimit(limit) { @MainActor in
      // An evaluation cannot be cancelled, and ends with the process of the page. None begins after the limit.
      try Task.checkCancellation()
      return try await self.evaluate("0")
    }
  }
}
