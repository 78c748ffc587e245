internal import CTesseraWebKitGTK
internal import TesseraWebContent

/// Small widgets of the window's own parts.
@MainActor
enum WidgetHelp {
  /// A round button with a symbol. A screen reader reads the label.
  static func glyph(_ icon: String, size: Int32, label: String) -> UnsafeMutablePointer<GtkWidget> {
    let image: UnsafeMutablePointer<GtkWidget> = gtk_image_new_from_icon_name(icon)
    gtk_image_set_pixel_size(OpaquePointer(image), size)
    let button: UnsafeMutablePointer<GtkWidget> = gtk_button_new()
    gtk_button_set_child(object(button), image)
    gtk_widget_add_css_class(button, "circular")
    gtk_widget_add_css_class(button, "osd")
    gtk_widget_set_tooltip_text(button, label)
    // A click leaves the keys with the page: the button may be gone afterwards.
    gtk_widget_set_focus_on_click(button, 0)
    name(button, label)
    return button
  }

  /// A text that wraps and does not ask for more width than this number of characters.
  static func text(
    _ text: String, style: String? = nil, characters: Int32 = 50
  ) -> UnsafeMutablePointer<GtkWidget> {
    let label: UnsafeMutablePointer<GtkWidget> = gtk_label_new(clean(text))
    gtk_label_set_wrap(OpaquePointer(label), 1)
    gtk_label_set_wrap_mode(OpaquePointer(label), PANGO_WRAP_WORD_CHAR)
    gtk_label_set_max_width_chars(OpaquePointer(label), characters)
    gtk_label_set_xalign(OpaquePointer(label), 0)
    if let style { gtk_widget_add_css_class(label, style) }
    return label
  }

  /// A text of a page or a server, without what a C string cannot have, and not longer than anybody reads.
  static func clean(_ text: String) -> String { String(text.filter { $0 != "\0" }.prefix(2_000)) }

  /// What a screen reader reads for a widget without a text.
  static func name(_ widget: UnsafeMutablePointer<GtkWidget>, _ label: String) {
    var property = GTK_ACCESSIBLE_PROPERTY_LABEL
    var value = GValue()
    g_value_init(&value, GType(16 << 2))  // G_TYPE_STRING, a macro that Swift does not import
    g_value_set_string(&value, label)
    gtk_accessible_update_property_value(OpaquePointer(widget), 1, &property, &value)
    g_value_unset(&value)
  }

  static func margins(_ widget: UnsafeMutablePointer<GtkWidget>, _ margin: Int32) {
    for set in [
      gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start, gtk_widget_set_margin_end,
    ] { set(widget, margin) }
  }

  /// Calls the function when the button is pressed.
  static func onClick(
    _ button: UnsafeMutablePointer<GtkWidget>, _ signals: Signals, _ action: ButtonAction
  ) {
    signals.on(gpointer(button), "clicked", action) { $0.run() }
  }

  /// Calls the function when Escape is pressed inside the widget.
  static func onEscape(_ widget: UnsafeMutablePointer<GtkWidget>, _ signals: Signals, _ action: ButtonAction) {
    let keys = gtk_event_controller_key_new()!
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
    signals.answer(gpointer(keys), "key-pressed", action, guint.self) { action, key in
      guard Int32(bitPattern: key) == GDK_KEY_Escape else { return false }
      action.run()
      return true
    }
    gtk_widget_add_controller(widget, keys)
  }
}

/// What a button does. Its owner keeps it as long as the button.
@MainActor
final class ButtonAction {
  private let body: @MainActor () -> Void
  init(_ body: @escaping @MainActor () -> Void) { self.body = body }
  func run() { body() }
}

/// The look of the window's own parts (Passage.md, rules 16 and 17).
@MainActor
enum WindowStyle {
  private static var isInstalled = false

  static func install() {
    guard !isInstalled, let display = gdk_display_get_default() else { return }
    isInstalled = true
    let provider = gtk_css_provider_new()
    gtk_css_provider_load_from_data(provider, css, -1)
    gtk_style_context_add_provider_for_display(
      display, OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    g_object_unref(gpointer(provider))
  }

  private static let css = """
    .passage-dim { background-color: rgba(0, 0, 0, 0.5); }
    .passage-popup { background-color: @theme_base_color; border-radius: 12px; }
    .passage-sheet { background-color: @theme_base_color; color: @theme_text_color; border-radius: 16px 16px 0 0;
      box-shadow: 0 -2px 12px rgba(0, 0, 0, 0.3); }
    .passage-sheet-title { font-size: 25px; font-weight: 600; }
    .passage-sheet-text { font-size: 17px; }
    .passage-sheet-button { min-height: 50px; border-radius: 12px; font-size: 17px; font-weight: 600;
      background: #000; color: #fff; }
    .passage-sheet-handle { min-width: 40px; min-height: 5px; border-radius: 3px; background-color: alpha(currentColor, 0.3); }
    .passage-sign { background-color: #b00020; color: #fff; border-radius: 14px; padding: 4px 14px; font-weight: 600; }
    """
}
