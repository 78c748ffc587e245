#if canImport(CTesseraWebKitGTK)
  import CTesseraWebKitGTK

  /// A download for which the person chooses the place. The page proposes the name of the file.
  @MainActor
  final class SavedDownload {
    private let download: OpaquePointer
    private let dialog: OpaquePointer
    private let signals = Signals()
    /// Keeps this object until the download has ended.
    private var isRunning: SavedDownload?

    static func begin(_ download: OpaquePointer, in view: ContentView) {
      let saved = SavedDownload(download, parent: view.window)
      saved.isRunning = saved
    }

    private init(_ download: OpaquePointer, parent: UnsafeMutablePointer<GtkWindow>?) {
      self.download = download
      g_object_ref(gpointer(download))
      dialog = gtk_file_chooser_native_new(nil, parent, GTK_FILE_CHOOSER_ACTION_SAVE, nil, nil)
      gtk_native_dialog_set_modal(object(dialog), 1)
      signals.connect(
        gpointer(download), "decide-destination", to: self,
        { _, name, owner in
          MainActor.assumeIsolated {
            Signals.owner(owner, as: SavedDownload.self)?.ask(name.map { String(cString: $0) } ?? "")
          }
          // The destination follows when the person has chosen.
          return 1
        } as @convention(c) (gpointer?, UnsafePointer<CChar>?, gpointer?) -> gboolean)
      let ended: @convention(c) (gpointer?, gpointer?) -> Void = { _, owner in
        MainActor.assumeIsolated { Signals.owner(owner, as: SavedDownload.self)?.end() }
      }
      signals.connect(gpointer(download), "finished", to: self, ended)
      signals.connect(
        gpointer(dialog), "response", to: self,
        { _, response, owner in
          MainActor.assumeIsolated { Signals.owner(owner, as: SavedDownload.self)?.answered(response) }
        } as @convention(c) (gpointer?, gint, gpointer?) -> Void)
    }

    private func ask(_ name: String) {
      // Only the last part: a page must not choose the folder.
      let file = name.split(separator: "/").last.map(String.init) ?? "download"
      gtk_file_chooser_set_current_name(dialog, file.hasPrefix(".") ? "download" : file)
      gtk_native_dialog_show(object(dialog))
    }

    private func answered(_ response: gint) {
      defer { gtk_native_dialog_hide(object(dialog)) }
      guard response == GTK_RESPONSE_ACCEPT.rawValue,
        let file = gtk_file_chooser_get_file(dialog), let path = takenText(g_file_get_path(file))
      else {
        webkit_download_cancel(download)
        return
      }
      // The dialog has asked whether to replace an existing file.
      webkit_download_set_allow_overwrite(download, 1)
      webkit_download_set_destination(download, path)
      g_object_unref(gpointer(file))
    }

    /// WebKit reports the end of a failed or cancelled download as `finished`, too.
    private func end() {
      guard isRunning != nil else { return }
      signals.disconnectAll()
      g_object_unref(gpointer(dialog))
      g_object_unref(gpointer(download))
      isRunning = nil
    }
  }
#endif
