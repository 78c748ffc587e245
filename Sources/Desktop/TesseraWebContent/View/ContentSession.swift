import CTesseraWebKitGTK

/// Cookies and stored data, shared by the views of one session. Sessions share nothing with each other.
@MainActor
public final class ContentSession {
  let pointer: OpaquePointer
  private let signals = Signals()

  /// - Parameter folder: where cookies and data are kept; nil to keep them in memory until the session is released.
  public init(folder: String? = nil) {
    if let folder {
      pointer = webkit_network_session_new(folder + "/data", folder + "/cache")
    } else {
      pointer = webkit_network_session_new_ephemeral()
    }
    // Also the default of WebKitGTK; no certificate error can be overridden.
    webkit_network_session_set_tls_errors_policy(pointer, WEBKIT_TLS_ERRORS_POLICY_FAIL)
    webkit_network_session_set_itp_enabled(pointer, 1)
    webkit_network_session_set_persistent_credential_storage_enabled(pointer, 0)
    signals.on(gpointer(pointer), "download-started", self, OpaquePointer?.self) {
      if let download = $1 { $0.started(download) }
    }
  }

  isolated deinit {
    signals.disconnectAll()
    g_object_unref(gpointer(pointer))
  }

  /// A download belongs to the view whose page asked for it; that view decides.
  private func started(_ download: OpaquePointer) {
    let view = webkit_download_get_web_view(download).flatMap { ContentView.view(of: $0) }
    guard let view, view.behavior.savesFiles, view.document != nil else {
      webkit_download_cancel(download)
      return
    }
    SavedDownload.begin(download, in: view)
  }
}
