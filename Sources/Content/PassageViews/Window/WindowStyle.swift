internal import CTesseraWebKitGTK

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
