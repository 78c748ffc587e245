import CTesseraWebKitGTK
import TesseraWebContent

/// The style of one screen: a provider of CSS, whose classes no other widget of the program has. Equal styles share a
/// class, so a redraw that brings back a style costs nothing.
@MainActor
final class StyleSheet {
  private let provider = gtk_css_provider_new()
  private let prefix: String
  private var classes: [String: String] = [:]
  private var text = ""
  private var hasChanged = false
  private static var count = 0
  /// The number of styles in all sheets that are in use, for tests.
  private(set) static var styleCount = 0

  init() {
    Self.count += 1
    prefix = "tessera-fck-\(Self.count)-"
    guard let display = gdk_display_get_default() else { return }
    // Above the style of the theme and of the program, below that of the user.
    gtk_style_context_add_provider_for_display(
      display, OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION) + 1)
  }

  isolated deinit {
    Self.styleCount -= classes.count
    if let display = gdk_display_get_default() {
      gtk_style_context_remove_provider_for_display(display, OpaquePointer(provider))
    }
    g_object_unref(gpointer(provider))
  }

  /// The class of a style.
  ///
  /// - Parameter rules: CSS in which `&` is the class.
  func name(of rules: String) -> String {
    if let name = classes[rules] { return name }
    let name = prefix + String(classes.count)
    classes[rules] = name
    Self.styleCount += 1
    text += rules.replacing("&", with: "." + name) + "\n"
    hasChanged = true
    return name
  }

  /// Applies new styles. Called once after many widgets were made or changed.
  func commit() {
    guard hasChanged else { return }
    hasChanged = false
    gtk_css_provider_load_from_data(provider, text, -1)
  }
}

/// The style that one widget has of a style sheet, which a redraw may change.
@MainActor
struct WidgetStyle {
  private var current: String?

  init() {}

  mutating func set(_ rules: String, on widget: UnsafeMutablePointer<GtkWidget>, _ sheet: StyleSheet) {
    let name = sheet.name(of: rules)
    guard name != current else { return }
    if let current { gtk_widget_remove_css_class(widget, current) }
    gtk_widget_add_css_class(widget, name)
    current = name
  }
}
