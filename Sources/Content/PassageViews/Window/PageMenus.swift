internal import CTesseraWebKitGTK
internal import TesseraWebContent

/// The menu of a `<select>` and the colour chooser are windows of WebKit, above everything that Passage shows. None
/// of them may cover a question.
///
/// No test opens a menu while the view is insensitive: WebKit 2.50 opens one for a user's click only.
extension ContentView {
  /// Keeps no menu and no chooser open while the view is insensitive. A page has the right to open one for a while
  /// after a click, also when a question has come since.
  func refuseMenusWhileInsensitive() {
    // Nothing disconnects them: they live as long as the view.
    let signals = Signals()
    signals.answer(gpointer(widget), "show-option-menu", self, OpaquePointer?.self) { view, menu in
      guard gtk_widget_is_sensitive(view.widget) == 0 else { return false }
      webkit_option_menu_close(menu)
      return true
    }
    // A page never hears of the end of a request that is refused, and opens no chooser any more. So it is shown, and
    // closed at once.
    signals.answer(gpointer(widget), "run-color-chooser", self) { view in
      if gtk_widget_is_sensitive(view.widget) == 0 { Task { @MainActor in ContentView.closeChoosers() } }
      return false
    }
  }

  /// Closes the windows above other ones: those that pages have opened.
  fileprivate static func closeChoosers() {
    let windows = gtk_window_list_toplevels()
    var next = windows
    var choosers: [UnsafeMutablePointer<GtkWindow>] = []
    while let item = next {
      next = item.pointee.next
      guard let data = item.pointee.data else { continue }
      let other: UnsafeMutablePointer<GtkWindow> = object(OpaquePointer(data))
      if gtk_window_get_transient_for(other) != nil { choosers.append(other) }
    }
    g_list_free(windows)
    // A window that is closed can close others.
    for chooser in choosers { g_object_ref(gpointer(chooser)) }
    for chooser in choosers {
      gtk_window_close(chooser)
      g_object_unref(gpointer(chooser))
    }
  }
}

extension PassageWindow {
  /// Closes the menus and choosers that pages have opened.
  func closeMenus() {
    var menus: [UnsafeMutablePointer<GtkWidget>] = []
    Self.addMenus(of: window.contentWidget, to: &menus)
    // WebKit releases a menu that is closed.
    for menu in menus { g_object_ref(gpointer(menu)) }
    for menu in menus {
      gtk_popover_popdown(object(menu))
      g_object_unref(gpointer(menu))
    }
    ContentView.closeChoosers()
  }

  private static func addMenus(
    of widget: UnsafeMutablePointer<GtkWidget>, to menus: inout [UnsafeMutablePointer<GtkWidget>]
  ) {
    var child = gtk_widget_get_first_child(widget)
    while let current = child {
      child = gtk_widget_get_next_sibling(current)
      if g_type_check_instance_is_a(object(current), gtk_popover_get_type()) != 0 {
        menus.append(current)
      } else {
        addMenus(of: current, to: &menus)
      }
    }
  }
}
