#if canImport(CTesseraWebKitGTK)
  internal import CTesseraWebKitGTK
  internal import TesseraWebContent

  extension PassageWindow {
    /// Puts a panel above everything that is there.
    func add(_ panel: UnsafeMutablePointer<GtkWidget>) {
      gtk_overlay_add_overlay(OpaquePointer(window.contentWidget), panel)
    }

    func remove(_ panel: UnsafeMutablePointer<GtkWidget>) {
      guard gtk_widget_get_parent(panel) == window.contentWidget else { return }
      gtk_overlay_remove_overlay(OpaquePointer(window.contentWidget), panel)
      focusPage()
    }
  }
#endif
