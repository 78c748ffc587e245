internal import CTesseraWebKitGTK
internal import TesseraWebContent

extension ContentView {
  /// Says whether the user sees the view. A page waits for the answer to its dialog (`alert`, `confirm`, `prompt`),
  /// and scripts of the server wait for the page, so that no dialog may stay open where nobody can answer it.
  func setDialogs(areSeen: Bool) {
    endsDialogs = !areSeen
    if !areSeen { refuseOpenDialog() }
  }

  /// Presses the first button of WebKit's dialog: “Close” of an alert, “Cancel” of the others. WebKit's function for
  /// closing a dialog answers the page, but leaves the dialog over it.
  private func refuseOpenDialog() {
    let type = g_type_from_name("WebKitScriptDialogImpl")
    // WebKit registers the type with the first dialog.
    guard type != 0 else { return }
    var child = gtk_widget_get_first_child(widget)
    while let current = child {
      child = gtk_widget_get_next_sibling(current)
      guard Self.isInstance(current, of: type), let button = Self.firstButton(of: current) else { continue }
      Self.click(button)
    }
  }

  private static func firstButton(of widget: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkWidget>? {
    if isInstance(widget, of: gtk_button_get_type()) { return widget }
    var child = gtk_widget_get_first_child(widget)
    while let current = child {
      if let button = firstButton(of: current) { return button }
      child = gtk_widget_get_next_sibling(current)
    }
    return nil
  }

  private static func isInstance(_ widget: UnsafeMutablePointer<GtkWidget>, of type: GType) -> Bool {
    g_type_check_instance_is_a(object(widget), type) != 0
  }

  /// At once, and also while a question makes the view insensitive.
  private static func click(_ button: UnsafeMutablePointer<GtkWidget>) {
    var instance = GValue()
    g_value_init(&instance, gtk_button_get_type())
    g_value_set_object(&instance, button)
    g_signal_emitv(&instance, g_signal_lookup("clicked", gtk_button_get_type()), 0, nil)
    g_value_unset(&instance)
  }
}
