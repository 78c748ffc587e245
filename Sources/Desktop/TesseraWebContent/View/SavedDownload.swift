import CTesseraWebKitGTK

/// A download for which the user chooses the place. The page proposes the name of the file.
@MainActor
final class SavedDownload {
  private let download: OpaquePointer
  private let dialog: OpaquePointer
  private let signals = Signals()
  /// Keeps this object until the download has ended.
  private weak var view: ContentView?

  static func begin(_ download: OpaquePointer, in view: ContentView) {
    guard view.download == nil else { return webkit_download_cancel(download) }
    view.download = SavedDownload(download, view)
  }

  private init(_ download: OpaquePointer, _ view: ContentView) {
    let parent = view.window
    self.view = view
    self.download = download
    g_object_ref(gpointer(download))
    dialog = gtk_file_chooser_native_new(nil, parent, GTK_FILE_CHOOSER_ACTION_SAVE, nil, nil)
    gtk_native_dialog_set_modal(object(dialog), 1)
    signals.answer(gpointer(download), "decide-destination", self, String?.self) {
      $0.ask($1 ?? "")
      // The destination follows when the user has chosen.
      return true
    }
    signals.on(gpointer(download), "finished", self) { $0.end() }
    signals.on(gpointer(dialog), "response", self, gint.self) { $0.answered($1) }
  }

  private func ask(_ name: String) {
    // Only the last part: a page must not choose the folder.
    let file = name.split(separator: "/").last.map(String.init) ?? "download"
    gtk_file_chooser_set_current_name(dialog, file.hasPrefix(".") ? "download" : file)
    gtk_native_dialog_show(object(dialog))
  }

  private func answered(_ response: gint) {
    gtk_native_dialog_hide(object(dialog))
    let file = gtk_file_chooser_get_file(dialog)
    defer { if let file { g_object_unref(gpointer(file)) } }
    guard response == GTK_RESPONSE_ACCEPT.rawValue, let path = takenText(g_file_get_path(file)) else {
      webkit_download_cancel(download)
      return
    }
    // The dialog has asked whether to replace an existing file.
    webkit_download_set_allow_overwrite(download, 1)
    webkit_download_set_destination(download, path)
  }

  /// Ends a download, and closes its dialog, because the view is closed.
  func cancel() {
    gtk_native_dialog_hide(object(dialog))
    webkit_download_cancel(download)
    end()
  }

  /// WebKit reports the end of a failed or cancelled download as `finished`, too.
  private func end() {
    signals.disconnectAll()
    view?.download = nil
  }

  isolated deinit {
    signals.disconnectAll()
    g_object_unref(gpointer(dialog))
    g_object_unref(gpointer(download))
  }
}
