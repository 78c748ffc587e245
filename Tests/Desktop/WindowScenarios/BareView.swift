import CTesseraWebKitGTK

/// A window of WebKitGTK without anything of ours: what a measurement is compared with.
@MainActor
final class BareView {
  let webView: UnsafeMutablePointer<WebKitWebView>
  private let window: UnsafeMutablePointer<GtkWindow>
  private let manager = webkit_user_content_manager_new()
  /// Called for each message to the handler `bare`.
  var onMessage: (() -> Void)?

  init(_ page: String) {
    let session = webkit_network_session_new_ephemeral()
    var names: [UnsafePointer<CChar>?] = []
    var values: [GValue] = []
    for (name, object) in [("user-content-manager", manager), ("network-session", session)] {
      var value = GValue()
      g_value_init(
        &value, name == "network-session" ? webkit_network_session_get_type() : webkit_user_content_manager_get_type()
      )
      g_value_set_object(&value, gpointer(object))
      values.append(value)
      names.append(UnsafePointer(g_strdup(name)))
    }
    let view = g_object_new_with_properties(
      webkit_web_view_get_type(), UInt32(values.count), &names, &values)
    webView = UnsafeMutableRawPointer(view!).assumingMemoryBound(to: WebKitWebView.self)
    window = UnsafeMutableRawPointer(gtk_window_new()!).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_default_size(window, 900, 820)
    gtk_window_set_child(window, UnsafeMutableRawPointer(webView).assumingMemoryBound(to: GtkWidget.self))
    let received: @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, _, owner in
      guard let owner else { return }
      MainActor.assumeIsolated { Unmanaged<BareView>.fromOpaque(owner).takeUnretainedValue().onMessage?() }
    }
    g_signal_connect_data(
      gpointer(manager), "script-message-received::bare", unsafeBitCast(received, to: GCallback.self),
      Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    webkit_user_content_manager_register_script_message_handler(manager, "bare", nil)
    webkit_web_view_load_html(webView, page, "https://bare.example/")
    gtk_window_present(window)
  }

  func evaluate(_ script: String) {
    webkit_web_view_evaluate_javascript(webView, script, -1, nil, nil, nil, nil, nil)
  }

  /// Waits until the page was loaded.
  func loaded() async throws {
    try await becomesTrue { webkit_web_view_is_loading(webView) == 0 }
  }

  func close() {
    webkit_user_content_manager_unregister_script_message_handler(manager, "bare", nil)
    gtk_window_destroy(window)
  }
}
